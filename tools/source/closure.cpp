#include "source/closure.h"

#include "source/instantiation.h"
#include "source/references.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>

#include <algorithm>

namespace kopt {

using clang::CXXRecordDecl;
using clang::Decl;
using clang::dyn_cast;
using clang::dyn_cast_or_null;
using clang::FunctionDecl;
using clang::isa;
using clang::NamespaceDecl;
using clang::VarDecl;

namespace {

bool is_definition(const Decl *declaration) {
  if (const auto *made = dyn_cast<clang::TemplateDecl>(declaration); made && made->getTemplatedDecl())
    declaration = made->getTemplatedDecl();
  if (const auto *tag = dyn_cast<clang::TagDecl>(declaration)) return tag->isThisDeclarationADefinition();
  if (const auto *function = dyn_cast<FunctionDecl>(declaration)) return function->isThisDeclarationADefinition();
  if (const auto *variable = dyn_cast<VarDecl>(declaration))
    return variable->isThisDeclarationADefinition() != VarDecl::DeclarationOnly;
  return false;
}

// Calls `found` for the types and templates that template arguments name: Pair and Wrap in <const Pair &, Wrap<T> *>.
void for_each_named(llvm::ArrayRef<clang::TemplateArgument> arguments, const std::function<void(const Decl *)> &found) {
  for (const clang::TemplateArgument &argument : arguments) {
    if (argument.getKind() == clang::TemplateArgument::Pack) for_each_named(argument.getPackAsArray(), found);
    if (argument.getKind() != clang::TemplateArgument::Type) continue;
    clang::QualType type = argument.getAsType().getCanonicalType();
    while (type->isAnyPointerType() || type->isReferenceType() || type->isArrayType())
      type = type->isArrayType() ? type->getAsArrayTypeUnsafe()->getElementType() : type->getPointeeType();
    if (const auto *tag = type->getAsTagDecl()) found(tag);
    if (const auto *special = dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(type->getAsTagDecl()))
      for_each_named(special->getTemplateArgs().asArray(), found);
    if (const auto *dependent = type->getAs<clang::TemplateSpecializationType>()) {
      if (const Decl *made = dependent->getTemplateName().getAsTemplateDecl()) found(made);
      for_each_named(dependent->template_arguments(), found);
    }
  }
}

// A variable that another source defines and that may be filled there: no constant, which has its value from its initializer.
bool is_missing(const VarDecl &variable) {
  return variable.hasGlobalStorage() && !variable.getDefinition() && !variable.getAnyInitializer() && !variable.isTemplated() &&
         !variable.getASTContext().getBaseElementType(variable.getType()).isConstQualified();
}

} // namespace

ClosureSearch::ClosureSearch(const ParsedSource &source, const FunctionDecl &kernel)
    : source_(source), sources_(source.context.getSourceManager()) {
  const auto &macros = source_.record.macros;
  for (int k = 0; k < static_cast<int>(macros.size()); ++k) line_of_[macros[k].macro] = k;
  std::vector<const MacroUse *> feature_macros; // system headers ask for them: _GNU_SOURCE
  for (const MacroUse &use : source_.record.uses) {
    if (!source_.project.contains(use.place.file)) {
      if (line_of_.contains(use.macro)) feature_macros.push_back(&use);
    } else if (const int unit = source_.units.at(use.place); unit >= 0) {
      uses_of_unit_[unit].push_back(&use);
    } else {
      uses_elsewhere_.push_back(&use);
    }
  }
  index_units();
  for (const MacroUse *use : feature_macros) want_macro(*use);
  need(&kernel, -1);
  for (const Decl *declaration : declarations_in_arguments(kernel)) need(declaration, -1);
  do {
    while (!fresh_units_.empty() || !fresh_.empty()) {
      if (!fresh_.empty()) {
        const auto [declaration, from] = fresh_.back();
        fresh_.pop_back();
        walk(declaration, from);
      } else {
        const int unit = fresh_units_.back();
        fresh_units_.pop_back();
        for (const Decl *declaration : source_.units.all()[unit].declarations) walk(declaration, unit);
        for (const MacroUse *use : uses_of_unit_[unit]) want_macro(*use);
      }
    }
  } while (want_using_directives() || want_sought_functions());
}

void ClosureSearch::walk(const Decl *declaration, int from) {
  if (!walked_.insert(declaration).second) return;
  const Decl *text = written(declaration);
  const bool project = text && source_.units.of(text) >= 0;
  for_each_reference(
      declaration, [&](const Decl *found) { project ? need(found, from) : need_from_system(found); },
      [&](clang::DeclarationName name) {
        if (project) sought_.insert(name);
      });
}

// What a system template's instantiation refers to: of interest only where it leads back into the project (a comparison that
// std::sort calls).
void ClosureSearch::need_from_system(const Decl *declaration) {
  const Decl *text = written(declaration);
  if (text && source_.units.of(text) >= 0) return need(declaration, -1);
  if (const auto *function = dyn_cast<FunctionDecl>(declaration);
      function && function->isTemplateInstantiation() && function->getDefinition())
    fresh_.emplace_back(function->getDefinition(), -1);
}

void ClosureSearch::need(const Decl *declaration, int from) {
  if (const auto *space = dyn_cast<NamespaceDecl>(declaration)) {
    opened_before_[from].insert(space);
    return;
  }
  if (const auto *shadow = dyn_cast<clang::UsingShadowDecl>(declaration)) {
    need(shadow->getIntroducer(), from);
    need(shadow->getTargetDecl(), from);
    return;
  }
  if (!needed_.insert(declaration).second) return;
  if (const auto *function = dyn_cast<FunctionDecl>(declaration);
      function && function->isTemplateInstantiation() && function->getDefinition()) {
    fresh_.emplace_back(function->getDefinition(), from); // its body says what dependent names mean
  }
  if (const auto *function = dyn_cast<FunctionDecl>(declaration);
      function && function->getTemplateSpecializationKind() == clang::TSK_ExplicitSpecialization &&
      function->getPrimaryTemplate())
    need(function->getPrimaryTemplate(), from);
  const Decl *text = written(declaration);
  if (!text) return;
  need_namespaces(text);
  need_text_of(text);
  need_specializations(text);
  if (const auto *method = dyn_cast<clang::CXXMethodDecl>(text)) need(method->getParent(), from);
  if (const auto *record = dyn_cast<CXXRecordDecl>(text); record && record->hasDefinition())
    if (const auto *destructor = record->getDestructor()) need(destructor, from);
  if (const auto *variable = dyn_cast<VarDecl>(text); variable && is_missing(*variable) && source_.units.of(variable) >= 0)
    undefined_variables_.insert(variable->getCanonicalDecl());
}

// Every declaration in a project file is wanted. Of a system entity its definition is, or where there is none its first
// declaration.
void ClosureSearch::need_text_of(const Decl *declaration) {
  bool in_project = false;
  const Decl *system = nullptr;
  for (const Decl *again : declaration->redecls()) {
    if (const int unit = source_.units.of(again); unit >= 0) {
      want_unit(unit);
      in_project = true;
    } else if (!system || is_definition(again)) {
      system = again;
    }
  }
  if (!in_project && system && system->getLocation().isValid()) want_inclusion(place_of(sources_, system->getLocation()));
}

// The project's explicit and partial specializations travel with their template: leaving one out could change what the code
// means.
void ClosureSearch::need_specializations(const Decl *declaration) {
  const auto keep = [&](const Decl *special) {
    if (const int unit = source_.units.of(special); unit >= 0) want_unit(unit);
  };
  const auto keep_explicit = [&](const auto &made) {
    for (const auto *special : made.specializations())
      if (special->getTemplateSpecializationKind() == clang::TSK_ExplicitSpecialization)
        for (const Decl *again : special->redecls()) keep(again);
  };
  if (const auto *made = dyn_cast<clang::ClassTemplateDecl>(declaration)) {
    llvm::SmallVector<clang::ClassTemplatePartialSpecializationDecl *, 4> partial;
    const_cast<clang::ClassTemplateDecl *>(made)->getPartialSpecializations(partial); // the AST has no const form of it
    for (const auto *special : partial) keep(special);
    keep_explicit(*made);
    const auto guides = source_.context.DeclarationNames.getCXXDeductionGuideName(const_cast<clang::ClassTemplateDecl *>(made));
    for (const Decl *guide : made->getDeclContext()->getRedeclContext()->lookup(guides)) keep(guide);
  } else if (const auto *function = dyn_cast<clang::FunctionTemplateDecl>(declaration)) {
    keep_explicit(*function);
  } else if (const auto *variable = dyn_cast<clang::VarTemplateDecl>(declaration)) {
    keep_explicit(*variable);
  }
}

void ClosureSearch::need_namespaces(const Decl *declaration) {
  for (const auto *scope = declaration->getDeclContext(); scope; scope = scope->getParent())
    if (const auto *space = dyn_cast<NamespaceDecl>(scope)) namespaces_.insert(space->getFirstDecl());
}

// A using-directive matters when something needed lies in the namespace it opens.
bool ClosureSearch::want_using_directives() {
  const auto before = units_.size();
  const auto &all = source_.units.all();
  for (int k = 0; k < static_cast<int>(all.size()); ++k) {
    const auto *directive = dyn_cast<clang::UsingDirectiveDecl>(all[k].declarations.front());
    if (!directive || !namespaces_.contains(directive->getNominatedNamespace()->getFirstDecl())) continue;
    want_unit(k);
    need_namespaces(directive);
  }
  return units_.size() != before;
}

void ClosureSearch::index_units() {
  const auto &all = source_.units.all();
  for (int k = 0; k < static_cast<int>(all.size()); ++k)
    for (const Decl *declaration : all[k].declarations) {
      index_specialization(declaration, k);
      const auto *made = dyn_cast<clang::FunctionTemplateDecl>(declaration);
      if (const auto *function = made ? made->getTemplatedDecl() : dyn_cast<FunctionDecl>(declaration))
        functions_of_name_[function->getDeclName()].emplace_back(function, k);
    }
}

// The project's specializations of the library's templates decide without being named: std::tuple_size, std::numeric_limits.
// They travel with the types that they are made for. A hash or a formatter matters only to code that calls it.
void ClosureSearch::index_specialization(const Decl *declaration, int unit) {
  const auto note = [&](const clang::NamedDecl &of, llvm::ArrayRef<clang::TemplateArgument> arguments) {
    if (!of.isInStdNamespace() || of.getName() == "hash" || of.getName() == "formatter") return;
    for_each_named(arguments, [&](const Decl *type) {
      const Decl *text = written(type);
      if (const int home = text ? source_.units.of(text) : -1; home >= 0)
        library_specializations_of_unit_[home].push_back(unit);
    });
  };
  if (const auto *special = dyn_cast<clang::ClassTemplateSpecializationDecl>(declaration))
    note(*special->getSpecializedTemplate(), special->getTemplateArgs().asArray());
  if (const auto *special = dyn_cast<clang::VarTemplateSpecializationDecl>(declaration))
    note(*special->getSpecializedTemplate(), special->getTemplateArgs().asArray());
}

// Functions that a template may find by its arguments: those that take a type of the closure, and templates in a namespace of
// it.
bool ClosureSearch::want_sought_functions() {
  const auto before = units_.size();
  for (const clang::DeclarationName name : sought_) {
    const auto found = functions_of_name_.find(name);
    if (found == functions_of_name_.end()) continue;
    for (const auto &[function, unit] : found->second) {
      const auto *space = dyn_cast<NamespaceDecl>(function->getDeclContext());
      bool wanted = function->isTemplated() && space && namespaces_.contains(space->getFirstDecl());
      for (const clang::ParmVarDecl *parameter : function->parameters())
        for_each_named(clang::TemplateArgument(parameter->getType()), [&](const Decl *type) {
          const Decl *text = written(type);
          wanted = wanted || (text && units_.contains(source_.units.of(text)));
        });
      if (wanted) want_unit(unit);
    }
  }
  return units_.size() != before;
}

void ClosureSearch::want_unit(int unit) {
  if (!units_.insert(unit).second) return;
  fresh_units_.push_back(unit);
  for (const int special : library_specializations_of_unit_[unit]) want_unit(special);
  const Slice &slice = source_.units.all()[unit].slice;
  want_surroundings({slice.file, slice.begin});
}

void ClosureSearch::want_macro(const MacroUse &use) {
  const auto found = line_of_.find(use.macro);
  if (found == line_of_.end()) {
    const auto location = use.macro->getDefinitionLoc();
    if (sources_.isWrittenInCommandLineFile(location))
      command_line_.insert(use.name);
    else if (location.isValid() && !use.macro->isBuiltinMacro())
      want_inclusion(place_of(sources_, location));
    return;
  }
  if (!macros_.insert(found->second).second) return;
  const Slice &slice = source_.record.macros[found->second].slice;
  want_surroundings({slice.file, slice.begin});
}

// The #include line of a project file through which a system file came.
void ClosureSearch::want_inclusion(Place place) {
  if (source_.project.contains(place.file)) return;
  for (auto above = included_at(sources_, place.file); above; above = included_at(sources_, above->file)) {
    if (!source_.project.contains(above->file)) continue;
    const auto &all = source_.record.inclusions;
    const auto found = std::find_if(all.begin(), all.end(), [&](const Inclusion &line) { return line.slice.contains(*above); });
    if (found == all.end() || !inclusions_.insert(static_cast<int>(found - all.begin())).second) return;
    for (const MacroUse *use : uses_elsewhere_) // #include NAME
      if (found->slice.contains(use->place)) want_macro(*use);
    want_surroundings({found->slice.file, found->slice.begin});
    return;
  }
}

// Conditions around wanted text are kept, so the macros they ask for are needed.
void ClosureSearch::want_surroundings(Place place) {
  for (const Conditional *conditional : conditionals_around(place)) {
    if (!conditionals_.insert(conditional).second) continue;
    for (const MacroUse *use : uses_elsewhere_)
      for (const Slice &directive : conditional->directives)
        if (directive.contains(use->place)) want_macro(*use);
  }
}

std::vector<const Conditional *> ClosureSearch::conditionals_around(Place place) const {
  std::vector<const Conditional *> around;
  if (const auto above = included_at(sources_, place.file)) around = conditionals_around(*above);
  if (const auto found = source_.record.conditionals.find(place.file); found != source_.record.conditionals.end())
    for (const Conditional &conditional : found->second)
      if (!conditional.guard && conditional.begin() < place.offset && place.offset < conditional.end())
        around.push_back(&conditional);
  return around;
}

} // namespace kopt
