#include "source/leaves.h"

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

// What is wrong with a type, in a sentence about "it"; empty: nothing.
using Complaint = std::string;

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
  Complaint array(const clang::ConstantArrayType &array, const Spot &spot, const Leaf &base, std::vector<Leaf> &leaves) const;
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
  if (type->isFunctionPointerType() || type->isMemberPointerType()) return "it is a pointer to a function or member";
  if (type->isPointerType()) return pointer(type, type->getPointeeType(), spot, base, leaves);
  if (const auto *array_type = context_.getAsConstantArrayType(type)) return array(*array_type, spot, base, leaves);
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

Complaint Flattener::array(const clang::ConstantArrayType &array, const Spot &spot, const Leaf &base,
                           std::vector<Leaf> &leaves) const {
  const long count = static_cast<long>(array.getSize().getZExtValue());
  const QualType inner = array.getElementType();
  const QualType flat = context_.getBaseElementType(inner);
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

Complaint Flattener::record(const RecordDecl &record, const Spot &spot, const Leaf &base, std::vector<Leaf> &leaves) const {
  const std::string name = qualified_name(record);
  if (!record.isCompleteDefinition()) return "its type " + name + " is only declared here";
  if (record.isUnion()) return "it holds a union (" + name + ")";
  const auto &layout = context_.getASTRecordLayout(&record);
  if (const auto *made = clang::dyn_cast<CXXRecordDecl>(&record)) {
    if (made->isDynamicClass()) return name + " has virtual functions";
    if (!made->isTriviallyCopyable() && (!spot.in_place || made->isInStdNamespace()))
      return name + " has its own way to be copied or destroyed";
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
  type = type.getUnqualifiedType();
  if (type->isVoidType()) { // bytes of unknown meaning
    element.type = "unsigned char";
    element.category = "other";
    element.size = 1;
    return {};
  }
  if (type->isPointerType()) return "it is a pointer to pointers";
  if (type->isFunctionType()) return "it is a pointer to a function";
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
  if (made && !made->isTriviallyCopyable()) return name + " has its own way to be copied or destroyed";
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
  explicit Builder(const ASTContext &context) : context_(context), flattener_(context) {}

  Result<void> parameter(const clang::ParmVarDecl &declaration, int index);
  Result<void> global(const clang::VarDecl &declaration);
  Result<void> result(const clang::FunctionDecl &kernel);

  Convention convention;

private:
  const ASTContext &context_;
  Flattener flattener_;
};

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
  const bool flat_object = object.getCanonicalType()->isRecordType();
  Complaint complaint;
  if (type->isReferenceType() && !flat_object && !object->isAnyPointerType() && !object->isIncompleteType()) {
    complaint = flattener_.pointer(context_.getPointerType(type.getNonReferenceType()), object, {parameter.name, 0}, base,
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
    return fail(
        "parameter '" + parameter.name + "' (" + parameter.type + ") cannot be recorded and replayed: " + complaint,
        where_of(context_, declaration.getLocation()),
        "give the kernel pointers, numbers, or plain structs of those, and let the caller pass e.g. v.data(), v.size()");
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
  return fail("the kernel uses the global '" + base.symbol + "', which cannot be recorded and replayed: " + complaint,
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
    return fail("the kernel's result cannot be recorded and compared: " + complaint, where, "write it through a parameter");
  convention.leaves.push_back(std::move(leaf));
  return {};
}

} // namespace

Result<Convention> convention_of(const ASTContext &context, const clang::FunctionDecl &kernel,
                                 const std::vector<const clang::VarDecl *> &globals) {
  Builder builder(context);
  int index = 0;
  for (const clang::ParmVarDecl *parameter : kernel.parameters()) KOPT_CHECK(builder.parameter(*parameter, index++));
  for (const clang::VarDecl *global : globals) KOPT_CHECK(builder.global(*global));
  KOPT_CHECK(builder.result(kernel));
  return std::move(builder.convention);
}

} // namespace kopt
