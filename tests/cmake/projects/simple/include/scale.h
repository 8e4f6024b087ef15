constexpr int scale = 10;
