// Privatizing: which declarations move into which loops, and which stay.
#include "propose/rules/privatize.h"
#include "rules_harness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kopt {
namespace {

// "{k {i {quantity ...": the names declared at the head of each loop's body, in brackets.
std::string declarations(const Nodes &nodes) {
  std::string text;
  for (const Node &node : nodes) {
    if (node.declares) text += "[" + node.declares->name + "]";
    if (node.kind == Node::Kind::Loop) text += "{" + node.variable + declarations(node.body) + "}";
    if (node.kind == Node::Kind::If) text += declarations(node.body) + declarations(node.otherwise);
  }
  return text;
}

TEST(Privatizing, MovesDeclarationsIntoTheLoopsThatSetThem) {
  const Model model = fixture::model_named("flux");
  EXPECT_EQ(declarations(privatized(model.body)),
            "[i][k][quantity][s][weight]{k{i[values][speed]{quantity[stencil]{s[at]}}}}{k{i[right][left][at][far]}}");
}

Node loop(const std::string &variable, long upper, Nodes body) {
  Node node;
  node.kind = Node::Kind::Loop;
  node.variable = variable, node.type = "int";
  node.text = "for (int " + variable + " = 0; " + variable + " < " + std::to_string(upper) + "; ++" + variable + ")";
  node.lower = {"0", Polynomial(0)}, node.upper = {std::to_string(upper), Polynomial(upper)};
  node.body = std::move(body);
  return node;
}

Node statement(const std::string &text, std::vector<ScalarUse> scalars) {
  Node node;
  node.kind = Node::Kind::Statement;
  node.text = node.pattern = text;
  node.scalars = std::move(scalars);
  return node;
}

Node declaration(const std::string &type, const std::string &name) {
  Node node = statement(type + " " + name + ";", {});
  node.declares = Declares{name, type, false, false};
  return node;
}

const Node set = statement("t = 1;", {{"t", "write", "double"}}), read = statement("x = t;", {{"t", "read", "double"}}),
           update = statement("t += 1;", {{"t", "update", "double"}});

TEST(Privatizing, LeavesWhatAnIterationHandsToTheNext) {
  EXPECT_EQ(declarations(privatized({declaration("double", "t"), loop("i", 9, {read, set})})), "[t]{i}");
  EXPECT_EQ(declarations(privatized({declaration("double", "t"), loop("i", 9, {update})})), "[t]{i}");
  EXPECT_EQ(declarations(privatized({declaration("double", "t"), loop("i", 9, {set, read})})), "{i[t]}");
}

TEST(Privatizing, LeavesWhatIsReadAfterTheLoop) {
  EXPECT_EQ(declarations(privatized({declaration("double", "t"), loop("i", 9, {set, read}), read})), "[t]{i}");
}

TEST(Privatizing, LeavesArraysThatAreNotFilled) {
  Node element = statement("@0 = 1;", {});
  element.text = "v[j] = 1;";
  Access write;
  write.local = "v", write.kind = "write", write.subscripts = {Polynomial::symbol("j")};
  element.accesses = {write};
  const Node use = statement("x = v[0];", {});
  EXPECT_EQ(declarations(privatized({declaration("double[4]", "v"), loop("i", 9, {loop("j", 4, {element}), use})})),
            "{i[v]{j}}");
  EXPECT_EQ(declarations(privatized({declaration("double[4]", "v"), loop("i", 9, {loop("j", 3, {element}), use})})),
            "[v]{i{j}}");
}

} // namespace
} // namespace kopt
