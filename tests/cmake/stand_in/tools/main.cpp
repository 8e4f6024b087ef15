#include <unistd.h>

int main(int, char **words) { return execv(SCRIPT, words); }
