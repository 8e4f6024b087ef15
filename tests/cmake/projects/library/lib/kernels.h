int twice(int n);
int rest(int n);
