/* An interpreter that consists of its library, as the one of the official image does. */
int Py_BytesMain(int count, char **words);
int main(int count, char **words) { return Py_BytesMain(count, words); }
