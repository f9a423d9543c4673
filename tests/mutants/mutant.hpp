#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <type_traits>

/// What the marks stand for that mutate.py puts into a source: each behaves as the operator it
/// replaces, unless its mutant is the one that COSPOT_MUTANT names. So one build holds all mutants.
/// What the compiler evaluates is never mutated.
namespace cospot_mutant {

inline constexpr std::size_t kMost = 20'000;
inline const int kChosen =
    std::getenv("COSPOT_MUTANT") ? std::atoi(std::getenv("COSPOT_MUTANT")) : 0;
inline std::array<std::atomic<bool>, kMost> reached{};
inline std::array<std::atomic<bool>, kMost> impossible{};  ///< the other operator does not exist

[[nodiscard]] constexpr bool on(int mutant) {
  if (std::is_constant_evaluated()) return false;
  reached[static_cast<std::size_t>(mutant)].store(true, std::memory_order_relaxed);
  return mutant == kChosen;
}
constexpr void give_up(int mutant) {
  if (!std::is_constant_evaluated()) impossible[static_cast<std::size_t>(mutant)] = true;
}
[[nodiscard]] constexpr int one(int mutant) { return on(mutant) ? 1 : 0; }

template <int kMutant>
struct Least {
  template <class T>
  static constexpr const T& of(const T& a, const T& b) {
    return on(kMutant) ? std::max(a, b) : std::min(a, b);
  }
};
template <int kMutant>
struct Most {
  template <class T>
  static constexpr const T& of(const T& a, const T& b) {
    return on(kMutant) ? std::min(a, b) : std::max(a, b);
  }
};

// `a <Less{7}> b`: the first operator binds the left side and the mark, the second decides. Both
// are of the precedence of the one they stand for.
#define COSPOT_MUTANT_OPERATOR(Mark, first, second, usual, mutated)        \
  struct Mark {                                                            \
    int mutant;                                                            \
    template <class L>                                                     \
    struct Bound {                                                         \
      const L& left;                                                       \
      int mutant;                                                          \
      template <class R>                                                   \
      friend constexpr auto operator second(Bound bound, const R& right) { \
        using Result = decltype(bound.left usual right);                   \
        if constexpr (requires { Result(bound.left mutated right); }) {    \
          if (on(bound.mutant)) return Result(bound.left mutated right);   \
        } else {                                                           \
          give_up(bound.mutant);                                           \
        }                                                                  \
        return Result(bound.left usual right);                             \
      }                                                                    \
    };                                                                     \
    template <class L>                                                     \
    friend constexpr Bound<L> operator first(const L& left, Mark mark) {   \
      return {left, mark.mutant};                                          \
    }                                                                      \
  };
COSPOT_MUTANT_OPERATOR(Less, <, >, <, <=)
COSPOT_MUTANT_OPERATOR(Greater, >, <, >, >=)
COSPOT_MUTANT_OPERATOR(NotAbove, <=, >=, <=, <)
COSPOT_MUTANT_OPERATOR(NotBelow, >=, <=, >=, >)
COSPOT_MUTANT_OPERATOR(Equal, ==, ==, ==, !=)
COSPOT_MUTANT_OPERATOR(Unequal, !=, !=, !=, ==)
COSPOT_MUTANT_OPERATOR(Plus, +, +, +, -)
COSPOT_MUTANT_OPERATOR(Minus, -, -, -, +)
COSPOT_MUTANT_OPERATOR(Times, *, *, *, /)
COSPOT_MUTANT_OPERATOR(Over, /, /, /, *)
COSPOT_MUTANT_OPERATOR(Modulo, %, %, %, /)

// `a +=Add{7}+= b`: assignments bind from the right.
#define COSPOT_MUTANT_ASSIGNMENT(Mark, usual, mutated)                    \
  struct Mark {                                                           \
    int mutant;                                                           \
    template <class R>                                                    \
    struct Bound {                                                        \
      const R& right;                                                     \
      int mutant;                                                         \
      template <class L>                                                  \
      friend constexpr L& operator usual(L& left, Bound bound) {          \
        if constexpr (requires { left mutated bound.right; }) {           \
          if (on(bound.mutant)) {                                         \
            left mutated bound.right;                                     \
            return left;                                                  \
          }                                                               \
        } else {                                                          \
          give_up(bound.mutant);                                          \
        }                                                                 \
        left usual bound.right;                                           \
        return left;                                                      \
      }                                                                   \
    };                                                                    \
    template <class R>                                                    \
    friend constexpr Bound<R> operator usual(Mark mark, const R& right) { \
      return {right, mark.mutant};                                        \
    }                                                                     \
  };
COSPOT_MUTANT_ASSIGNMENT(Add, +=, -=)
COSPOT_MUTANT_ASSIGNMENT(Subtract, -=, +=)

}  // namespace cospot_mutant
