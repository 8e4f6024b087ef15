constexpr int local = 1;
