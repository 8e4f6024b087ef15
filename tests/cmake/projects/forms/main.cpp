#include <kernels.h>

#include <cstdio>
#include <cstdlib>

int main(int, char **argv) { std::printf("%d\n", rest(twice(std::atoi(argv[1])))); }
