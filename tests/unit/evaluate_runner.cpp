// The runner process of these tests: what `kopt runner` does.
#include "evaluate/runner.h"

int main() { return kopt::run_runner(); }
