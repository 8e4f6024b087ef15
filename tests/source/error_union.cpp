// kopt-kernel: run
// kopt-error: parameter 'v' (Value) cannot be recorded and replayed: it holds a union (Value)
union Value { int i; double d; };
double run(Value v) { return v.d; }
