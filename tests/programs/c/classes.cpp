// expect: pass-complete
#include <cassert>
#include <symex.h>
#include <new>
struct Shape {
  virtual ~Shape() { --alive; }
  virtual int area() const = 0;
  static int alive;
  Shape() { ++alive; }
};
int Shape::alive = 0;
struct Square : Shape {
  int side;
  explicit Square(int s) : side(s) {}
  int area() const override { return side * side; }
};
struct Box : virtual Shape { int area() const override { return 1; } };
struct Named { virtual const char *name() const { return "named"; } int pad = 3; };
struct Both : Box, Named { int area() const override { return Box::area() + pad; } };
template <class T, int N> struct Stack {
  T items[N];
  int top = 0;
  void push(const T &x) { assert(top < N); items[top++] = x; }
  T pop() { return items[--top]; }
};
template <class F> static int apply(F f, int n) { return f(n); }
static int order[4], steps;
struct Global {
  int n;
  explicit Global(int n) : n(n) { order[steps++] = n; }
  ~Global() { assert(steps == 2 + 0 * n); }
};
static Global first(1), second(2);
static int &counter() { static Global late(0); static int n = late.n + 5; return n; }
int main() {
  int n = symex_range(0, 100, "n");
  assert(steps == 2 && order[0] == 1 && order[1] == 2);
  Shape *s = new Square(n);
  assert(s->area() == n * n && Shape::alive == 1);
  delete s;
  assert(Shape::alive == 0);
  Both *b = new Both;
  Named *named = b;
  Shape *shape = b;
  assert(shape->area() == 4 && named->name()[0] == 'n');
  delete shape;
  Square *array = static_cast<Square *>(operator new(2 * sizeof(Square)));
  new (&array[0]) Square(2);
  array[0].~Square();
  operator delete(array);
  int *numbers = new int[n + 1]();
  assert(numbers[n] == 0);
  delete[] numbers;
  Stack<int, 4> stack;
  stack.push(n), stack.push(2);
  assert(stack.pop() == 2 && stack.pop() == n);
  int base = 3;
  assert(apply([&base](int x) { return base += x; }, n) == n + 3 && base == n + 3);
  return 0;
}
