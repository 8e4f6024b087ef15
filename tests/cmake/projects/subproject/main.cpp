#include <cstdio>
#include <cstdlib>

int twice(int n);

int main(int, char **argv) { std::printf("%d\n", twice(std::atoi(argv[1]))); }
