#include "source/body_place.h"

#include "source/container.h"

#include <algorithm>
#include <clang/AST/DeclCXX.h>
#include <cstdlib>

namespace kopt::body {

namespace {

Place unknown(std::string why) {
  Place place;
  place.why = std::move(why);
  return place;
}

Pointer unknown_pointer(std::string why) {
  Pointer pointer;
  pointer.why = std::move(why);
  return pointer;
}

Place of_kind(Place::Kind kind, const clang::VarDecl *variable = nullptr) {
  Place place;
  place.kind = kind;
  place.variable = variable;
  return place;
}

Place scalar_of_leaf(const Leaf &leaf) {
  Place place = of_kind(Place::Kind::Element);
  place.leaf = leaf.path;
  return place;
}

// Sizes of the dimensions below the first: 4, 5 for double (*)[4][5] and double[3][4][5].
std::vector<long> inner_sizes(clang::QualType type) {
  std::vector<long> sizes;
  type = type.getNonReferenceType();
  if (const auto *pointer = type->getAs<clang::PointerType>())
    type = pointer->getPointeeType();
  else if (const auto *array = type->getAsArrayTypeUnsafe())
    type = array->getElementType();
  while (const auto *array = llvm::dyn_cast_or_null<clang::ConstantArrayType>(type->getAsArrayTypeUnsafe())) {
    sizes.push_back(static_cast<long>(array->getSize().getZExtValue()));
    type = array->getElementType();
  }
  return sizes;
}

class Finder {
public:
  Finder(Kernel &kernel, const Frame &frame) : kernel_(kernel), frame_(frame) {}
  Place place(const clang::Expr *lvalue);
  Pointer pointer(const clang::Expr *expression);

private:
  Place variable(const clang::VarDecl &variable, const clang::Expr &use);
  [[nodiscard]] const clang::VarDecl *local_struct(const clang::Expr &lvalue) const;
  Place member(const clang::MemberExpr &member);
  std::optional<Place> element_of_container(const clang::CallExpr &call);
  Place element(Pointer pointer, const clang::Expr *index);
  void check_dimensions(Place &place) const;
  Pointer pointer_variable(const clang::Expr &lvalue);
  Pointer shifted(const clang::Expr *pointer, const clang::Expr *by, bool back);
  Pointer address(const clang::Expr &lvalue);
  Pointer cast_pointer(const clang::CastExpr &cast);
  Pointer leaf_pointer(const Leaf &leaf, clang::QualType type);
  Place place_in(const InFrame &what) const { return Finder(kernel_, *what.frame).place(what.expression); }
  Pointer pointer_in(const InFrame &what) const { return Finder(kernel_, *what.frame).pointer(what.expression); }

  Kernel &kernel_;
  const Frame &frame_;
};

Place Finder::place(const clang::Expr *lvalue) {
  lvalue = stripped(lvalue);
  Place found;
  if (const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(lvalue)) {
    const auto *declared = llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
    found = declared ? variable(*declared, *lvalue) : of_kind(Place::Kind::Value);
  } else if (const auto *selected = llvm::dyn_cast<clang::MemberExpr>(lvalue)) {
    return member(*selected);
  } else if (const auto *subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(lvalue)) {
    if (const clang::VarDecl *owner = local_struct(*subscript)) {
      found = of_kind(Place::Kind::Local, owner);
      found.partial = true;
    } else {
      found = element(pointer(subscript->getBase()), subscript->getIdx());
    }
  } else if (const auto *unary = llvm::dyn_cast<clang::UnaryOperator>(lvalue); unary && unary->getOpcode() == clang::UO_Deref) {
    found = element(pointer(unary->getSubExpr()), nullptr);
  } else if (const auto *call = llvm::dyn_cast<clang::CallExpr>(lvalue)) {
    if (auto held = element_of_container(*call)) {
      found = std::move(*held);
    } else {
      const auto result = kernel_.inlined(*call, frame_);
      found = result ? place_in(*result) : unknown("calls a function: " + kernel_.source.text(*call));
    }
  } else if (const auto *cast = llvm::dyn_cast<clang::CastExpr>(lvalue);
             cast && cast->getCastKind() == clang::CK_LValueToRValue) {
    found = place(cast->getSubExpr()); // a helper that returns an element's value
  } else {
    found = unknown("not an array element: " + kernel_.source.text(*lvalue));
  }
  if (!found.partial) found.hole = lvalue;
  return found;
}

Place Finder::variable(const clang::VarDecl &variable, const clang::Expr &use) {
  const clang::QualType type = variable.getType();
  if (const auto bound = Kernel::argument(variable, frame_))
    return type->isReferenceType() ? place_in(*bound) : of_kind(Place::Kind::Value);
  if (const Leaf *leaf = kernel_.leaf(variable)) {
    if (leaf->is_pointer() || leaf->count > 1) {
      if (type.getNonReferenceType()->isPointerType()) return of_kind(Place::Kind::Local, &variable); // the pointer itself
      kernel_.uses.inner_sizes[leaf->path] = inner_sizes(type);
      return scalar_of_leaf(*leaf);
    }
    if (!kernel_.changes(variable)) return of_kind(Place::Kind::Value);
    if (kernel_.is_parameter(variable) && !type->isReferenceType()) return of_kind(Place::Kind::Local, &variable);
    return scalar_of_leaf(*leaf);
  }
  if (is_constant_global(variable)) return of_kind(Place::Kind::Constant);
  if (variable.hasGlobalStorage()) return unknown("a global that is not a leaf: " + variable.getNameAsString());
  if (kernel_.is_parameter(variable) && container_of(type)) return of_kind(Place::Kind::Local, &variable);
  if (type->isReferenceType()) {
    if (variable.getInit() && !stripped(variable.getInit())->isLValue()) return of_kind(Place::Kind::Local, &variable);
    const auto bound = kernel_.value(variable, use, frame_);
    return bound ? place_in(*bound) : unknown("a reference to something unknown: " + variable.getNameAsString());
  }
  if (kernel_.is_parameter(variable)) return of_kind(Place::Kind::Local, &variable);      // a struct by value, used whole
  if (variable.getDeclContext() != &kernel_.function) return of_kind(Place::Kind::Value); // inside a helper
  if (!type->isArrayType()) return of_kind(Place::Kind::Local, &variable);
  Place array = of_kind(Place::Kind::Element, &variable);
  array.local = variable.getNameAsString();
  return array;
}

// The local struct of the kernel that holds the array which is subscripted here.
const clang::VarDecl *Finder::local_struct(const clang::Expr &lvalue) const {
  const clang::VarDecl *variable = storage_of(&lvalue).variable;
  const bool ours = variable && variable->getDeclContext() == &kernel_.function && !kernel_.leaf(*variable) &&
                    !kernel_.is_parameter(*variable);
  return ours && variable->getType()->isRecordType() ? variable : nullptr;
}

Place Finder::member(const clang::MemberExpr &member) {
  const Storage storage = kernel_.storage(&member, frame_);
  const Leaf *leaf = storage.variable ? kernel_.leaf(*storage.variable, storage.members) : nullptr;
  if (leaf) {
    const bool array = member.getType()->isArrayType();
    if (leaf->is_pointer() && !array) return of_kind(Place::Kind::Value); // the pointer itself
    if (!array && !kernel_.changes(*storage.variable, storage.members)) return of_kind(Place::Kind::Value);
    Place place = scalar_of_leaf(*leaf);
    place.hole = &member;
    return place;
  }
  Place base;
  const Frame &owner = frame_of_object(frame_);
  if (llvm::isa<clang::CXXThisExpr>(stripped(member.getBase())) && owner.object && !owner.object->getType()->isPointerType())
    base = Finder(kernel_, *owner.caller).place(owner.object);
  else if (member.isArrow())
    base = element(pointer(member.getBase()), nullptr), base.arrow = true, base.hole = &member;
  else
    base = place(member.getBase());
  base.partial = base.kind == Place::Kind::Element || base.kind == Place::Kind::Local;
  return base;
}

Place Finder::element(Pointer pointer, const clang::Expr *index) {
  if (!pointer.known) return unknown(pointer.why);
  if (pointer.constant) return of_kind(Place::Kind::Constant);
  Place place = of_kind(Place::Kind::Element, pointer.variable);
  place.leaf = pointer.leaf;
  place.local = pointer.local;
  place.subscripts = std::move(pointer.subscripts);
  place.why = pointer.why;
  if (index) {
    const Form by = affine(kernel_, index, frame_);
    if (!by && place.why.empty()) place.why = by.error();
    if (!by && pointer.offset && pointer.subscripts.empty())
      for (const Polynomial &value : candidates(kernel_, index, frame_)) place.candidates.push_back(*pointer.offset + value);
    if (by && pointer.offset)
      pointer.offset = *pointer.offset + *by;
    else
      pointer.offset.reset();
  }
  place.subscripts.push_back(std::move(pointer.offset));
  check_dimensions(place);
  return place;
}

// x[i], x.at(i), x.front(), x.back().
std::optional<Place> Finder::element_of_container(const clang::CallExpr &call) {
  using Kind = ContainerCall::Kind;
  const auto asked = container_call(call);
  if (!asked || (asked->kind != Kind::Element && asked->kind != Kind::Last)) return std::nullopt;
  Pointer start;
  if (asked->container.kind != Container::Kind::Array) {
    const Leaf *data = kernel_.container_leaf(*asked->object, ".data()", frame_);
    if (!data) return std::nullopt;
    start = leaf_pointer(*data, call.getType());
  } else {
    Place array = place(asked->object);
    if (array.kind != Place::Kind::Element || array.partial || !array.subscripts.empty()) { // inside a variable or an element
      array.partial = array.kind == Place::Kind::Local || array.kind == Place::Kind::Element;
      return array;
    }
    start = {true, false, array.variable, array.leaf, array.local, {}, Polynomial(), array.why};
  }
  if (asked->kind == Kind::Last) {
    const Leaf *size = kernel_.container_leaf(*asked->object, ".size()", frame_);
    if (size || asked->container.count)
      start.offset = (size ? Polynomial::symbol(size->path) : Polynomial(*asked->container.count)) - Polynomial(1);
    else
      start.offset.reset(), start.why = "the last element of a container";
  }
  return element(start, asked->index);
}

// p[i * 8 + j] over the inner dimension of double[][8] counts in rows: whoever wrote it treats the array as flat.
void Finder::check_dimensions(Place &place) const {
  const auto sizes = kernel_.uses.inner_sizes.find(place.leaf);
  if (place.leaf.empty() || sizes == kernel_.uses.inner_sizes.end()) return;
  for (size_t k = 1; k < place.subscripts.size() && k <= sizes->second.size(); ++k) {
    auto &subscript = place.subscripts[k];
    const long size = sizes->second[k - 1];
    const auto leaves = [&](const auto &term) { return std::abs(term.second) >= size; };
    if (!subscript || std::none_of(subscript->terms().begin(), subscript->terms().end(), leaves)) continue;
    subscript.reset();
    place.why = "a subscript leaves its dimension";
  }
}

Pointer Finder::pointer(const clang::Expr *expression) {
  expression = stripped(expression);
  if (const auto *cast = llvm::dyn_cast<clang::CastExpr>(expression)) return cast_pointer(*cast);
  if (const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(expression); binary && binary->isAdditiveOp()) {
    const bool pointer_first = binary->getLHS()->getType()->isPointerType();
    return shifted(pointer_first ? binary->getLHS() : binary->getRHS(), pointer_first ? binary->getRHS() : binary->getLHS(),
                   binary->getOpcode() == clang::BO_Sub);
  }
  if (const auto *unary = llvm::dyn_cast<clang::UnaryOperator>(expression); unary && unary->getOpcode() == clang::UO_AddrOf)
    return address(*unary->getSubExpr());
  if (const auto *call = llvm::dyn_cast<clang::CallExpr>(expression)) {
    if (const auto asked = container_call(*call); asked && asked->kind == ContainerCall::Kind::Data) {
      const Leaf *data = kernel_.container_leaf(*asked->object, ".data()", frame_);
      if (data) return leaf_pointer(*data, call->getType());
    }
    const auto result = kernel_.inlined(*call, frame_);
    return result ? pointer_in(*result) : unknown_pointer("a pointer from a call: " + kernel_.source.text(*call));
  }
  return unknown_pointer("an unknown pointer: " + kernel_.source.text(*expression));
}

Pointer Finder::cast_pointer(const clang::CastExpr &cast) {
  const clang::Expr *inner = cast.getSubExpr();
  if (cast.getCastKind() == clang::CK_LValueToRValue) return pointer_variable(*stripped(inner));
  if (cast.getCastKind() == clang::CK_ArrayToPointerDecay) {
    const Place array = place(inner);
    if (array.kind == Place::Kind::Constant) return Pointer{true, true, nullptr, {}, {}, {}, Polynomial(), {}};
    if (array.kind != Place::Kind::Element) return unknown_pointer(array.why.empty() ? "an array inside a value" : array.why);
    if (array.partial) return unknown_pointer("an array inside an element");
    return {true, false, array.variable, array.leaf, array.local, array.subscripts, Polynomial(), array.why};
  }
  if (!inner->getType()->isPointerType()) return unknown_pointer("a pointer made from " + inner->getType().getAsString());
  Pointer pointer = this->pointer(inner);
  const auto pointee = [&](const clang::Expr &of) {
    return of.getType()->getPointeeType().getCanonicalType().getUnqualifiedType();
  };
  if (pointee(cast) != pointee(*inner)) pointer.offset.reset(), pointer.why = "a cast changes the element type";
  return pointer;
}

Pointer Finder::leaf_pointer(const Leaf &leaf, clang::QualType type) {
  kernel_.uses.inner_sizes[leaf.path] = inner_sizes(type);
  return {true, false, nullptr, leaf.path, {}, {}, Polynomial(), {}};
}

Pointer Finder::pointer_variable(const clang::Expr &lvalue) {
  const Storage storage = kernel_.storage(&lvalue, frame_);
  if (storage.variable) {
    const Leaf *leaf = kernel_.leaf(*storage.variable, storage.members);
    if (leaf && leaf->is_pointer() && lvalue.getType()->isPointerType()) {
      if (kernel_.changes(*storage.variable, storage.members)) return unknown_pointer("the pointer " + leaf->path + " changes");
      return leaf_pointer(*leaf, lvalue.getType());
    }
  }
  const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(&lvalue);
  const auto *variable = reference ? llvm::dyn_cast<clang::VarDecl>(reference->getDecl()) : nullptr;
  if (!variable) return unknown_pointer("a pointer read from memory: " + kernel_.source.text(lvalue));
  if (const auto bound = Kernel::argument(*variable, frame_)) {
    if (bound->expression->isLValue()) return Finder(kernel_, *bound->frame).pointer_variable(*stripped(bound->expression));
    return pointer_in(*bound);
  }
  const auto value = kernel_.value(*variable, lvalue, frame_);
  if (!value) return unknown_pointer("the pointer " + variable->getNameAsString() + " has no one known value");
  Pointer pointer = pointer_in(*value);
  const auto is_zero = [](const std::optional<Polynomial> &subscript) { return subscript && subscript->is_zero(); };
  if (!pointer.subscripts.empty() && std::all_of(pointer.subscripts.begin(), pointer.subscripts.end(), is_zero))
    pointer.offset.reset(), pointer.why = "a pointer to the start of a multi-dimensional array";
  return pointer;
}

Pointer Finder::shifted(const clang::Expr *base, const clang::Expr *by, bool back) {
  Pointer pointer = this->pointer(base);
  if (!pointer.known || pointer.constant) return pointer;
  const Form distance = affine(kernel_, by, frame_);
  if (!distance && pointer.why.empty()) pointer.why = distance.error();
  if (!distance)
    pointer.offset.reset();
  else if (pointer.offset)
    pointer.offset = back ? *pointer.offset - *distance : *pointer.offset + *distance;
  return pointer;
}

Pointer Finder::address(const clang::Expr &lvalue) {
  Place place = this->place(&lvalue);
  if (place.kind == Place::Kind::Constant) return Pointer{true, true, nullptr, {}, {}, {}, Polynomial(), {}};
  if (place.kind != Place::Kind::Element || place.partial)
    return unknown_pointer("the address of " + kernel_.source.text(lvalue));
  Pointer pointer{true, false, place.variable, place.leaf, place.local, std::move(place.subscripts), std::nullopt, place.why};
  if (pointer.subscripts.size() == 1) {
    pointer.offset = pointer.subscripts.back();
    pointer.subscripts.clear();
  } else {
    pointer.why = "the address of an element of a multi-dimensional array, or of a scalar";
    if (!pointer.subscripts.empty()) pointer.subscripts.pop_back();
  }
  return pointer;
}

} // namespace

bool Place::is_known() const {
  return kind == Kind::Element &&
         std::all_of(subscripts.begin(), subscripts.end(), [](const auto &one) { return one.has_value(); });
}

Place place_of(Kernel &kernel, const clang::Expr *lvalue, const Frame &frame) { return Finder(kernel, frame).place(lvalue); }

Pointer pointer_of(Kernel &kernel, const clang::Expr *pointer, const Frame &frame) {
  return Finder(kernel, frame).pointer(pointer);
}

} // namespace kopt::body
