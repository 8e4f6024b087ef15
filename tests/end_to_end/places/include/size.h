#ifndef SIZE_H
#define SIZE_H
constexpr int size = 700;
#endif
