// Prints what the CMake package must agree with: the slug of each argument, then the names of kopt's options, one a line.
#include "core/options.h"
#include "core/slug.h"

#include <cstdio>

int main(int count, char **words) {
  for (int i = 1; i < count; ++i) std::printf("%s\n", kopt::slug_of(words[i]).c_str());
  for (const kopt::OptionInfo &option : kopt::option_table()) std::printf("%s\n", option.name.c_str());
}
