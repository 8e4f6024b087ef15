#include "core/record.h"

#include <gtest/gtest.h>

namespace kopt {
namespace {

Record sample() {
  Record record;
  record.kernel = "ns::foo";
  record.slug = "ns.foo";
  record.target = "app";
  record.arch = "x86_64";
  record.source = "foo.cpp";
  record.anchor = {"/s/foo.cpp", 10, 20, 2, "h", "void foo(int n) {"};
  record.pieces.push_back({"ns::foo", "kernel", "foo.cpp", 2, 10, 40, "h2"});
  Leaf leaf;
  leaf.path = "u";
  leaf.origin = "parameter";
  leaf.parameter = 0;
  leaf.kind = "pointer";
  leaf.element = {"P", "struct", 16, true, {{"x", "float", 8, 0, 1}}};
  leaf.extent = Polynomial::symbol("n") * 2;
  record.leaves.push_back(leaf);
  record.verdict.kind = VerdictKind::Faster;
  record.verdict.cases.push_back({"call-1", 4, 3.9, 4.1, 1e6, 2.5e5, 40});
  record.validation = Validation{3.8, 3.7, 3.9, 1.5, 1.4, 1.6, 4, "same", "2026-11-30T22:40:00Z"};
  record.parameters_chosen = {{"KOPT_TILE", "32"}};
  return record;
}

TEST(Record, SurvivesJson) {
  const Json once = sample();
  EXPECT_EQ(Json(once.get<Record>()), once);
  EXPECT_EQ(once.get<Record>().leaves.front().element.fields.front().path, "x");
}

TEST(Record, AMissingKeyIsAnErrorThatNamesIt) {
  MemoryDisk disk;
  Json json = sample();
  json.erase("slug");
  disk.files["/r.json"] = json.dump();
  const auto record = read_record(disk, "/r.json");
  ASSERT_FALSE(record);
  EXPECT_NE(record.error().message().find("slug"), std::string::npos);
}

TEST(Model, SurvivesJson) {
  Model model;
  model.name = "f";
  model.slug = "f";
  Node loop;
  loop.kind = Node::Kind::Loop;
  loop.id = "L0";
  loop.variable = "i";
  loop.type = "int";
  loop.lower = {"0", Polynomial(0)};
  loop.upper = {"strlen(s)", std::nullopt};
  Node statement;
  statement.kind = Node::Kind::Statement;
  statement.pattern = "@0 += 1;";
  Access access;
  access.leaf = "u";
  access.kind = "update";
  access.subscripts = {Polynomial::symbol("i"), std::nullopt};
  statement.accesses.push_back(access);
  statement.reduction = Reduction{"+", 0, ""};
  Node branch;
  branch.kind = Node::Kind::If;
  branch.constraints = std::vector<Polynomial>{Polynomial::symbol("i") - 1};
  branch.body.push_back(statement);
  loop.body.push_back(branch);
  model.body.push_back(loop);
  const Json once = model;
  EXPECT_EQ(Json(once.get<Model>()), once);
  EXPECT_FALSE(once.get<Model>().body[0].body[0].body[0].accesses[0].subscripts[1].has_value());
}

} // namespace
} // namespace kopt
