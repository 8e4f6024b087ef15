#include "source/leaves.h"

#include "source/body_locals.h"
#include "source/container.h"
#include "source/names.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/RecordLayout.h>

namespace kopt {
namespace {

using clang::ASTContext;
using clang::CXXRecordDecl;
using clang::FieldDecl;
using clang::QualType;
using clang::RecordDecl;

// What is wrong with a type, in a sentence about "it", and what to do instead; empty: nothing.
struct Complaint {
  std::string what, remedy;

  Complaint() = default;
  Complaint(const char *text) : what(text) {}
  Complaint(std::string text, std::string instead = {}) : what(std::move(text)), remedy(std::move(instead)) {}
  [[nodiscard]] bool empty() const { return what.empty(); }
};

// Arrays of more bytes than this are memory with contents, smaller ones are values.
constexpr long most_value_bytes = 256;

const char *const one_for_each = "write one kernel for each function that is passed";

// Types of the library that are known by name for what they cannot be.
Complaint library_type(const ASTContext &context, QualType type) {
  const auto *record = type->getAsCXXRecordDecl();
  if (!record || !record->isInStdNamespace() || !record->getIdentifier()) return {};
  const std::string name = qualified_type(context, type.getUnqualifiedType());
  if (record->getName() == "function") return {name + " is a function to be called", one_for_each};
  if (record->getName().starts_with("atomic"))
    return {name + " is shared with other threads", "let the kernel return what the caller adds to it"};
  return {};
}

class Flattener {
public:
  explicit Flattener(const ASTContext &context) : context_(context) {}

  // Where an object lives: prefix of its path, and byte offset in the parameter or global.
  struct Spot {
    std::string path;
    long offset = 0;
    bool in_place = false; // behind a reference: the object is neither copied nor destroyed, so how it does that is its affair
  };

  // Appends the leaves of an object of this type.
  Complaint object(QualType type, const Spot &spot, const Leaf &base, std::vector<Leaf> &leaves) const;
  // Appends a pointer leaf.
  Complaint pointer(QualType pointer_type, QualType pointee, const Spot &spot, const Leaf &base,
                    std::vector<Leaf> &leaves) const;
  // What a pointer points at, an array flattened to its elements.
  Complaint element(QualType type, Element &element) const;

  [[nodiscard]] int size(QualType type) const { return static_cast<int>(context_.getTypeSizeInChars(type).getQuantity()); }
  [[nodiscard]] int alignment(QualType type) const {
    return static_cast<int>(context_.getTypeAlignInChars(type).getQuantity());
  }

private:
  Complaint record(const RecordDecl &record, const Spot &spot, const Leaf &base, std::vector<Leaf> &leaves) const;
  Complaint array(QualType inner, long count, const Spot &spot, const Leaf &base, std::vector<Leaf> &leaves) const;
  Complaint container(QualType type, const Container &container, const Spot &spot, const Leaf &base,
                      std::vector<Leaf> &leaves) const;
  Complaint fields(QualType type, const Spot &spot, std::vector<Field> &fields) const;
  [[nodiscard]] std::optional<QualType> complex_part(QualType type) const;
  [[nodiscard]] Element scalar(QualType type) const;
  [[nodiscard]] std::string category(QualType type) const;

  const ASTContext &context_;
};

std::string Flattener::category(QualType type) const {
  if (type->isBooleanType()) return "bool";
  if (type->isEnumeralType()) return "enum";
  if (type->isIntegralOrEnumerationType()) return "integer";
  if (type->isRealFloatingType()) return "float";
  return "other";
}

Element Flattener::scalar(QualType type) const {
  Element element;
  type = type.getCanonicalType().getUnqualifiedType();
  element.type = qualified_type(context_, type);
  element.category = category(type);
  element.size = size(type);
  element.is_signed = !type->isUnsignedIntegerOrEnumerationType() && !type->isBooleanType();
  return element;
}

// std::complex<T> and _Complex T: two T.
std::optional<QualType> Flattener::complex_part(QualType type) const {
  if (const auto *complex = type->getAs<clang::ComplexType>()) return complex->getElementType();
  const auto *special = llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(type->getAsCXXRecordDecl());
  if (!special || !special->isInStdNamespace() || special->getName() != "complex") return std::nullopt;
  return special->getTemplateArgs()[0].getAsType();
}

Complaint Flattener::object(QualType type, const Spot &spot, const Leaf &base, std::vector<Leaf> &leaves) const {
  type = type.getCanonicalType();
  if (type->isReferenceType()) return "it holds a reference";
  if (type->isFunctionPointerType()) return {"it is a pointer to a function", one_for_each};
  if (type->isMemberPointerType()) return "it is a pointer to a member";
  if (type->isPointerType()) return pointer(type, type->getPointeeType(), spot, base, leaves);
  if (const auto *array_type = context_.getAsConstantArrayType(type))
    return array(array_type->getElementType(), static_cast<long>(array_type->getSize().getZExtValue()), spot, base, leaves);
  if (const auto held = container_of(type)) return container(type, *held, spot, base, leaves);
  if (Complaint complaint = library_type(context_, type); !complaint.empty()) return complaint;
  Leaf leaf = base;
  leaf.path = spot.path;
  leaf.kind = "scalar";
  leaf.offset = static_cast<int>(spot.offset);
  if (const auto part = complex_part(type)) {
    leaf.element = scalar(*part);
    leaf.count = 2;
  } else if (const auto *inner = type->getAsRecordDecl()) {
    return record(*inner, spot, base, leaves);
  } else if (type->isBuiltinType() || type->isEnumeralType() || type->isVectorType()) {
    leaf.element = scalar(type);
  } else {
    return "its type " + qualified_type(context_, type) + " has no flat form";
  }
  leaves.push_back(std::move(leaf));
  return {};
}

// std::vector and std::span as data() and size(); std::array as the array that it is.
Complaint Flattener::container(QualType type, const Container &container, const Spot &spot, const Leaf &base,
                               std::vector<Leaf> &leaves) const {
  const QualType inner = container.element.getCanonicalType();
  if (container.kind == Container::Kind::Array) return array(inner, container.count.value_or(0), spot, base, leaves);
  const bool vector = container.kind == Container::Kind::Vector;
  const std::string instead = "let the caller pass data() and size() of one vector that holds all elements";
  if (vector && inner->isBooleanType())
    return {"std::vector<bool> keeps bits, not elements", "use std::vector<char> or std::vector<unsigned char>"};
  if (container_of(inner) && container_of(inner)->kind != Container::Kind::Array)
    return {"its rows, " + qualified_type(context_, inner) + ", lie anywhere in memory", instead};
  if (base.origin == "global") return {"the container lives longer than a call of the kernel", instead};
  const long words = vector ? 3 : container.count ? 1 : 2;
  if (size(type) != words * 8)
    return {"its size is not that of a container without a debug mode or an allocator with state", instead};
  Leaf data = base;
  data.storage = container.storage();
  data.offset = static_cast<int>(spot.offset);
  data.path = spot.path + ".data()";
  data.kind = "pointer";
  data.pointer_type = qualified_type(context_, context_.getPointerType(inner));
  if (Complaint complaint = element(inner, data.element); !complaint.empty()) return complaint;
  Leaf length = data;
  length.path = spot.path + ".size()";
  length.kind = "scalar";
  length.pointer_type.clear();
  length.element = scalar(context_.getSizeType());
  if (container.count) {
    data.extent = Polynomial(*container.count);
    leaves.push_back(std::move(data));
    return {};
  }
  data.extent = Polynomial::symbol(length.path);
  leaves.push_back(std::move(data));
  leaves.push_back(std::move(length));
  return {};
}

Complaint Flattener::array(QualType inner, long count, const Spot &spot, const Leaf &base, std::vector<Leaf> &leaves) const {
  const QualType flat = context_.getBaseElementType(inner);
  if (count * size(inner) > most_value_bytes) {
    Leaf leaf = base;
    leaf.path = spot.path;
    leaf.kind = "pointer";
    leaf.storage = "array";
    leaf.offset = static_cast<int>(spot.offset);
    leaf.pointer_type = qualified_type(context_, context_.getPointerType(flat));
    if (Complaint complaint = element(flat, leaf.element); !complaint.empty()) return complaint;
    leaf.extent = Polynomial(count * size(inner) / leaf.element.size);
    leaves.push_back(std::move(leaf));
    return {};
  }
  if (!flat->isRecordType() && !flat->isPointerType()) { // numbers: one leaf, however many dimensions
    const std::size_t first = leaves.size();
    if (Complaint complaint = object(flat, spot, base, leaves); !complaint.empty()) return complaint;
    leaves[first].count = static_cast<int>(count * size(inner) / size(flat));
    return {};
  }
  constexpr long most = 64;
  if (count > most) return "it holds an array of " + std::to_string(count) + " structs or pointers";
  for (long k = 0; k < count; ++k) {
    const Spot element_spot{spot.path + "[" + std::to_string(k) + "]", spot.offset + k * size(inner), spot.in_place};
    if (Complaint complaint = object(inner, element_spot, base, leaves); !complaint.empty()) return complaint;
  }
  return {};
}

Complaint own_copy(const std::string &name) { return name + " has its own way to be copied or destroyed"; }

Complaint Flattener::record(const RecordDecl &record, const Spot &spot, const Leaf &base, std::vector<Leaf> &leaves) const {
  const std::string name = qualified_name(record);
  if (!record.isCompleteDefinition()) return "its type " + name + " is only declared here";
  if (record.isUnion()) return "it holds a union (" + name + ")";
  const auto &layout = context_.getASTRecordLayout(&record);
  if (const auto *made = clang::dyn_cast<CXXRecordDecl>(&record)) {
    if (made->isDynamicClass()) return name + " has virtual functions";
    if (!made->isTriviallyCopyable() && (!spot.in_place || made->isInStdNamespace())) return own_copy(name);
    for (const auto &parent : made->bases()) {
      const auto *parent_record = parent.getType()->getAsCXXRecordDecl();
      const Spot parent_spot{spot.path, spot.offset + layout.getBaseClassOffset(parent_record).getQuantity(), spot.in_place};
      if (Complaint complaint = this->record(*parent_record, parent_spot, base, leaves); !complaint.empty()) return complaint;
    }
  }
  for (const FieldDecl *field : record.fields()) {
    const std::string field_name = name + "::" + field->getName().str();
    if (field->isBitField()) return field_name + " is a bit-field";
    if (field->getAccess() == clang::AS_private || field->getAccess() == clang::AS_protected) return field_name + " is private";
    const std::string path = field->getName().empty() ? spot.path : spot.path + "." + field->getName().str();
    const Spot field_spot{path, spot.offset + static_cast<long>(layout.getFieldOffset(field->getFieldIndex()) / 8),
                          spot.in_place};
    if (Complaint complaint = object(field->getType(), field_spot, base, leaves); !complaint.empty()) return complaint;
  }
  return {};
}

Complaint Flattener::pointer(QualType pointer_type, QualType pointee, const Spot &spot, const Leaf &base,
                             std::vector<Leaf> &leaves) const {
  Leaf leaf = base;
  leaf.path = spot.path;
  leaf.kind = "pointer";
  leaf.offset = static_cast<int>(spot.offset);
  leaf.pointer_type = qualified_type(context_, pointer_type.getUnqualifiedType());
  if (Complaint complaint = element(pointee, leaf.element); !complaint.empty()) return complaint;
  leaves.push_back(std::move(leaf));
  return {};
}

Complaint Flattener::element(QualType type, Element &element) const {
  type = type.getCanonicalType();
  while (const auto *array_type = context_.getAsArrayType(type)) type = array_type->getElementType();
  if (type.isVolatileQualified()) return "it is volatile, so others change it";
  type = type.getUnqualifiedType();
  if (Complaint complaint = library_type(context_, type); !complaint.empty()) return complaint;
  if (type->isVoidType()) { // bytes of unknown meaning
    element.type = "unsigned char";
    element.category = "other";
    element.size = 1;
    return {};
  }
  if (type->isPointerType()) return "it is a pointer to pointers";
  if (type->isFunctionType()) return {"it is a pointer to a function", one_for_each};
  if (type->isIncompleteType()) return "its type " + qualified_type(context_, type) + " is only declared here";
  element = scalar(type);
  if (const auto part = complex_part(type)) {
    element.category = "struct";
    element.fields = {{"", category(*part), size(*part), 0, 2}};
    return {};
  }
  if (!type->isRecordType()) return {};
  element.category = "struct";
  return fields(type, {"", 0}, element.fields);
}

// Scalar members of a struct behind a pointer. Its bytes are moved as they are, so that private members do not matter.
Complaint Flattener::fields(QualType type, const Spot &spot, std::vector<Field> &fields) const {
  const RecordDecl &record = *type->getAsRecordDecl();
  const std::string name = qualified_name(record);
  const auto *made = clang::dyn_cast<CXXRecordDecl>(&record);
  if (made && made->isDynamicClass()) return name + " has virtual functions";
  if (made && !made->isTriviallyCopyable()) return own_copy(name);
  const auto &layout = context_.getASTRecordLayout(&record);
  if (made)
    for (const auto &parent : made->bases()) {
      const long offset = layout.getBaseClassOffset(parent.getType()->getAsCXXRecordDecl()).getQuantity();
      if (Complaint complaint = this->fields(parent.getType(), {spot.path, spot.offset + offset}, fields); !complaint.empty())
        return complaint;
    }
  for (const FieldDecl *field : record.fields()) {
    const QualType flat = context_.getBaseElementType(field->getType()).getCanonicalType();
    if (field->isBitField()) continue; // its bytes are moved with the rest
    const std::string path = (spot.path.empty() ? "" : spot.path + ".") + field->getName().str();
    const long offset = spot.offset + static_cast<long>(layout.getFieldOffset(field->getFieldIndex()) / 8);
    if (flat->isAnyPointerType() || flat->isReferenceType() || flat->isMemberPointerType())
      return name + "::" + field->getName().str() + " is a pointer inside what a pointer points to";
    if (flat->isRecordType() && !complex_part(flat)) {
      const long count = size(field->getType()) / std::max(size(flat), 1);
      for (long k = 0; k < count; ++k) {
        const Spot inner{path + (count > 1 ? "[" + std::to_string(k) + "]" : ""), offset + k * size(flat)};
        if (Complaint complaint = this->fields(flat, inner, fields); !complaint.empty()) return complaint;
      }
      continue;
    }
    const QualType part = complex_part(flat).value_or(flat);
    fields.push_back({path, category(part), size(part), static_cast<int>(offset), size(field->getType()) / size(part)});
  }
  return {};
}

// Adds parameter, globals and result in the order of the convention.
class Builder {
public:
  Builder(const ASTContext &context, const clang::FunctionDecl &kernel)
      : context_(context), flattener_(context), locals_(kernel) {}

  Result<void> parameter(const clang::ParmVarDecl &declaration, int index);
  Result<void> global(const clang::VarDecl &declaration);
  Result<void> result(const clang::FunctionDecl &kernel);

  Convention convention;

private:
  [[nodiscard]] bool is_read_only(const clang::ParmVarDecl &parameter) const;

  const ASTContext &context_;
  Flattener flattener_;
  body::Locals locals_;
};

// `const int &n`, or `int &n` that the kernel never writes: a value like any other.
bool Builder::is_read_only(const clang::ParmVarDecl &parameter) const {
  const QualType object = parameter.getType().getNonReferenceType();
  if (!object->isArithmeticType() && !object->isEnumeralType()) return false;
  return object.isConstQualified() || !locals_.modified(parameter);
}

Result<void> Builder::parameter(const clang::ParmVarDecl &declaration, int index) {
  const QualType type = declaration.getType();
  Parameter parameter;
  parameter.name = declaration.getName().str();
  parameter.type = qualified_type(context_, type);
  parameter.passing = type->isReferenceType() ? "reference" : "value";
  const QualType object = type.getNonReferenceType().getUnqualifiedType();
  parameter.object_type = qualified_type(context_, type->isReferenceType() ? object : type.getUnqualifiedType());
  if (parameter.name.empty()) parameter.name = "unnamed" + std::to_string(index);
  Leaf base;
  base.origin = "parameter";
  base.parameter = index;
  const std::size_t first = convention.leaves.size();
  const auto container = container_of(object);
  const bool is_array = container && container->kind == Container::Kind::Array;
  const bool flat_object = object.getCanonicalType()->isRecordType() && !is_array;
  Complaint complaint;
  if (container && container->kind == Container::Kind::Vector && !type->isReferenceType()) {
    complaint = {"it is a copy, made anew for each call", "take it as const " + parameter.type + " &"};
  } else if (type->isReferenceType() && !flat_object && !object->isAnyPointerType() && !object->isIncompleteType() &&
             !is_read_only(declaration)) {
    const QualType elements = is_array ? container->element : object;
    complaint = flattener_.pointer(context_.getPointerType(type.getNonReferenceType()), elements, {parameter.name, 0}, base,
                                   convention.leaves);
    if (complaint.empty())
      convention.leaves.back().extent = Polynomial(flattener_.size(object) / convention.leaves.back().element.size);
  } else if (type->isReferenceType() && object->isAnyPointerType()) {
    complaint = "it is a reference to a pointer";
  } else if (object->isIncompleteType() && !object->isVoidType()) {
    complaint = "its type is only declared here";
  } else {
    complaint = flattener_.object(object, {parameter.name, 0, type->isReferenceType()}, base, convention.leaves);
  }
  if (!complaint.empty())
    return fail("parameter '" + parameter.name + "' (" + parameter.type +
                    ") cannot be recorded and replayed: " + complaint.what,
                where_of(context_, declaration.getLocation()),
                complaint.remedy.empty() ? "give the kernel pointers, numbers, vectors, spans, or plain structs of those"
                                         : complaint.remedy);
  if (type.getNonReferenceType().isConstQualified()) // a constant vector has constant elements
    for (std::size_t k = first; k < convention.leaves.size(); ++k)
      if (Leaf &leaf = convention.leaves[k];
          leaf.is_pointer() && leaf.storage == "vector" && !leaf.pointer_type.starts_with("const "))
        leaf.pointer_type = "const " + leaf.pointer_type;
  parameter.size = flattener_.size(object);
  parameter.alignment = flattener_.alignment(object);
  for (std::size_t k = first; k < convention.leaves.size(); ++k) parameter.leaves.push_back(static_cast<int>(k));
  convention.parameters.push_back(std::move(parameter));
  return {};
}

Result<void> Builder::global(const clang::VarDecl &declaration) {
  Leaf base;
  base.origin = "global";
  base.symbol = qualified_name(declaration);
  const Complaint complaint = declaration.getType()->isIncompleteType()
                                  ? "its size is not known here"
                                  : flattener_.object(declaration.getType(), {base.symbol, 0}, base, convention.leaves);
  if (complaint.empty()) return {};
  return fail("the kernel uses the global '" + base.symbol + "', which cannot be recorded and replayed: " + complaint.what,
              where_of(context_, declaration.getLocation()), "pass what the kernel needs of it as parameters");
}

Result<void> Builder::result(const clang::FunctionDecl &kernel) {
  const QualType type = kernel.getReturnType();
  if (type->isVoidType()) return {};
  const std::string where = where_of(context_, kernel.getLocation());
  if (type->isAnyPointerType() || type->isReferenceType() || type->isMemberPointerType())
    return fail("the kernel returns a pointer or reference", where, "return the value, or write it through a parameter");
  Leaf leaf;
  leaf.path = "return";
  leaf.origin = "result";
  leaf.kind = "scalar";
  leaf.access = "write";
  if (Complaint complaint = flattener_.element(type, leaf.element); !complaint.empty())
    return fail("the kernel's result cannot be recorded and compared: " + complaint.what, where,
                "write it through a parameter");
  convention.leaves.push_back(std::move(leaf));
  return {};
}

} // namespace

Result<Convention> convention_of(const ASTContext &context, const clang::FunctionDecl &kernel,
                                 const std::vector<const clang::VarDecl *> &globals) {
  Builder builder(context, kernel);
  int index = 0;
  for (const clang::ParmVarDecl *parameter : kernel.parameters()) KOPT_CHECK(builder.parameter(*parameter, index++));
  for (const clang::VarDecl *global : globals) KOPT_CHECK(builder.global(*global));
  KOPT_CHECK(builder.result(kernel));
  return std::move(builder.convention);
}

} // namespace kopt
