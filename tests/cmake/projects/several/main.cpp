#include <cstdio>
int twice(int n);
int main() { std::printf("%d\n", twice(3)); }
