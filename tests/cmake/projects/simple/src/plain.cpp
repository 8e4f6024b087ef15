int plain() { return 7; }
