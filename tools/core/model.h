// Model: what kopt-source found out about one kernel. docs/formats.md ("Model") defines every field; the names here are the
// same.
#pragma once

#include "core/extent.h"
#include "core/polynomial.h"

#include <optional>
#include <string>
#include <vector>

namespace kopt {

struct Field { // a scalar member of a struct element
  std::string path;
  std::string category; // as Element::category
  int size = 0;
  int offset = 0;
  int count = 1;
};

struct Element {
  std::string type;     // spelled so that it compiles at the end of the closure
  std::string category; // JSON "class": bool, integer, float, enum, struct, other
  int size = 0;
  bool is_signed = true;
  std::vector<Field> fields; // of a struct
};

struct Leaf {
  std::string path;   // g.nx, u, return
  std::string origin; // parameter, global, result
  int parameter = -1;
  std::string symbol; // qualified name of a global
  std::string kind;   // scalar, pointer
  // Where the value stands in the object: empty: its own bytes; "vector", "span": data() and size() of such a container;
  // "array" of a pointer leaf: the elements themselves are there.
  std::string storage;
  int offset = 0; // in the parameter's or global's object
  std::string pointer_type;
  Element element;
  int count = 1;
  std::string access = "unknown"; // none, read, write, readwrite, unknown
  std::optional<Extent> extent;

  [[nodiscard]] bool is_pointer() const { return kind == "pointer"; }
  [[nodiscard]] bool is_array() const { return storage == "array"; }
  [[nodiscard]] bool is_of_container() const { return storage == "vector" || storage == "span"; }
  [[nodiscard]] bool may_be_written() const { return access == "write" || access == "readwrite" || access == "unknown"; }
  [[nodiscard]] bool may_be_read() const { return access != "write" && access != "none"; }
};

struct Parameter {
  std::string name;
  std::string type;
  std::string passing; // value, reference
  std::string object_type;
  int size = 0;
  int alignment = 1;
  std::vector<int> leaves;
};

struct Anchor { // from the start of the kernel's definition to its `{`, inclusive
  std::string file;
  long offset = 0;
  long length = 0;
  int line = 0;
  std::string hash;
  std::string text;
};

struct Piece { // one slice of a file that the closure needs
  std::string name;
  std::string kind; // kernel, function, type, variable, macro, using, directive
  std::string file;
  int line = 0;
  long offset = 0;
  long length = 0;
  std::string hash;
};

struct ClosureFile {
  std::string file;
  std::string hash;
};

struct Closure {
  std::string text;
  long anchor_offset = 0;
  long anchor_length = 0;
  long kernel_end = 0; // offset just after the kernel's closing brace
  std::vector<std::string> includes;
  std::vector<ClosureFile> files;
  std::vector<Piece> pieces;
};

struct Bound {
  std::string text;
  std::optional<Polynomial> polynomial;
};

struct Access {
  std::string leaf;  // empty: none
  std::string local; // name of a local array, or empty
  std::string kind;  // read, write, update
  std::vector<std::optional<Polynomial>> subscripts;
  std::string why;                    // reason for a null subscript
  std::vector<Polynomial> candidates; // of a single null subscript: the values it may have; empty: any
  std::string text;
  std::string type;

  [[nodiscard]] bool reads() const { return kind != "write"; }
  [[nodiscard]] bool writes() const { return kind != "read"; }
};

struct ScalarUse {
  std::string name;
  std::string kind;
  std::string type;
};

struct Declares {
  std::string name;
  std::string type;
  bool constant = false;    // never written after this statement
  bool substituted = false; // printing polynomials instead of texts leaves no use of it
};

struct Reduction {
  std::string op;     // JSON "operator": + * min max
  int access = -1;    // index into accesses, or
  std::string scalar; // a local scalar
};

struct Node {
  enum class Kind { Loop, If, Statement, Opaque };
  Kind kind = Kind::Opaque;
  std::string id;
  int line = 0;
  long begin = 0, end = 0; // "range"
  std::string text;
  std::string reason; // opaque
  // loop
  std::string variable, type;
  Bound lower, upper;
  long step = 1;
  bool reverse = false;
  std::vector<Node> body; // also the "then" branch of an if
  // if
  std::string condition;
  std::optional<std::vector<Polynomial>> constraints;
  std::vector<Node> otherwise; // "else"
  // statement; accesses, scalars, calls and template also of conditions and bounds that are not affine
  std::string pattern; // JSON "template": text with holes
  std::vector<Access> accesses;
  std::vector<ScalarUse> scalars;
  std::vector<std::string> calls;
  std::optional<Declares> declares;
  std::optional<Reduction> reduction;
};

struct Note {
  std::string file;
  int line = 0;
  std::string text;
};

struct Compile {
  std::string compiler;
  std::string directory;
  std::vector<std::string> arguments;
  bool optimizes = true;
  std::map<std::string, std::string> macros;
};

struct TemplateArgument { // of an instantiation that is a kernel
  std::string name;       // of the parameter
  std::string kind;       // type, value
  std::string type;       // of a value
  std::string text;       // the argument, spelled so that it compiles ahead of the kernel
};

struct Model {
  static constexpr const char *format = "kopt-model";
  static constexpr int version = 1;

  std::string name, slug, target, platform = "host", signature, return_type, linkage, file;
  std::vector<std::string> namespaces;
  std::string callee;                               // JSON "callee": the kernel as called inside its namespaces
  std::vector<TemplateArgument> template_arguments; // of the instantiation, in order; none for an ordinary function
  std::vector<std::string> sources; // of the target, whose text the kernel is put into: more than one for a header's
  int line = 0, column = 0;
  Compile compile;
  std::vector<Parameter> parameters;
  std::vector<Leaf> leaves;
  Anchor anchor;
  Closure closure;
  std::vector<Node> body;
  std::vector<Note> notes;

  [[nodiscard]] const Leaf *leaf(const std::string &path) const;
  // `diffuse`, `axpy<float, 4>`, `Sums::run`: `callee`, or for models without it the name without namespaces and signature.
  [[nodiscard]] std::string called() const;
};

[[nodiscard]] Result<Model> read_model(const Disk &disk, const fs::path &path);
Result<void> write_model(Disk &disk, const fs::path &path, const Model &model);

void to_json(Json &json, const Model &model);
void from_json(const Json &json, Model &model);
// Also used by records, which keep leaves and pieces.
void to_json(Json &json, const Leaf &leaf);
void from_json(const Json &json, Leaf &leaf);
void to_json(Json &json, const Piece &piece);
void from_json(const Json &json, Piece &piece);
void to_json(Json &json, const Anchor &anchor);
void from_json(const Json &json, Anchor &anchor);
void to_json(Json &json, const Parameter &parameter);
void from_json(const Json &json, Parameter &parameter);
void to_json(Json &json, const TemplateArgument &argument);
void from_json(const Json &json, TemplateArgument &argument);
void to_json(Json &json, const Node &node);
void from_json(const Json &json, Node &node);

} // namespace kopt
