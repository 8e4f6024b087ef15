#define FROM_PCH 1
