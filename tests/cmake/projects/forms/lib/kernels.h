#pragma once

#define PUBLIC __attribute__((visibility("default")))

PUBLIC int twice(int n);
PUBLIC int rest(int n);
int more(int n);
