#include "source/choice.h"

#include "source/instantiation.h"
#include "source/names.h"

#include <algorithm>
#include <functional>

namespace kopt {
namespace {

// Whether no other of the functions is spelled so.
bool is_clear(const std::vector<FunctionName> &functions, const std::function<std::string(const FunctionName &)> &spell,
              const FunctionName &function) {
  return std::count_if(functions.begin(), functions.end(),
                       [&](const FunctionName &other) { return spell(other) == spell(function); }) == 1;
}

// The end of the path that tells the function's file from those of the others: kernel.cpp, or a/kernel.cpp.
std::string short_file(const std::vector<FunctionName> &functions, const FunctionName &function) {
  const auto taken = [&](const std::string &end) {
    return std::any_of(functions.begin(), functions.end(), [&](const FunctionName &other) {
      return other.file != function.file && other.file.ends_with("/" + end);
    });
  };
  fs::path end = fs::path(function.file).filename();
  for (fs::path rest = fs::path(function.file).parent_path(); taken(end.string()) && rest.has_relative_path();
       rest = rest.parent_path())
    end = rest.filename() / end;
  return end.string();
}

// What a user writes to mean this function and no other of the list.
std::string what_to_write(const std::vector<FunctionName> &functions, const FunctionName &function) {
  const auto plain = [](const FunctionName &one) { return one.plain; };
  const auto overload = [](const FunctionName &one) { return one.overload; };
  const auto in_file = [](const FunctionName &one) { return one.file + ":" + one.plain; };
  if (is_clear(functions, plain, function)) return function.plain;
  if (is_clear(functions, overload, function)) return function.overload;
  const std::string file = short_file(functions, function) + ":";
  return file + (is_clear(functions, in_file, function) ? function.plain : function.overload);
}

std::string listed(const std::vector<FunctionName> &functions, const std::vector<FunctionName> &among) {
  std::string text;
  for (const FunctionName &function : functions)
    text += (text.empty() ? "" : ", ") + what_to_write(among, function) + " (" + function.where + ")";
  return text;
}

} // namespace

FunctionName function_name(const clang::FunctionDecl &function, const ProjectFiles &project) {
  const auto &context = function.getASTContext();
  const auto place = place_of(context.getSourceManager(), function.getLocation());
  return {qualified_name(function) + arguments_text(function), overload_of(function), project.path(place.file),
          where_of(context, function.getLocation())};
}

Error ambiguous(const KernelName &kernel, const std::vector<FunctionName> &functions) {
  return {"the kernel '" + kernel.text + "' may mean several functions", "",
          "write one of them: " + listed(functions, functions)};
}

Error not_instantiated(const Spec &spec, const KernelName &kernel, const std::vector<FunctionName> &templates,
                       const std::vector<FunctionName> &made) {
  const FunctionName &first = templates.front();
  Error error{"the kernel '" + kernel.text + "' is a function template that target " + spec.target + " does not instantiate so",
              first.where, ""};
  error.remedy = made.empty()
                     ? "call it, or add its explicit instantiation to a source: template ... " + first.plain + "<...>(...);"
                     : "write an instantiation that there is: " + listed(made, made);
  return error;
}

} // namespace kopt
