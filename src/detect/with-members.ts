/** Copies of catalogues, whose members may be getters that are expensive to call. */

/** A copy of `base` with other members, and more of them if the result has more. Getters of both stay getters. */
export function withMembers<Base extends object, Type extends Base = Base>(
  base: Base,
  members: Partial<Base> & Omit<Type, keyof Base>,
): Type {
  return Object.defineProperties({} as Type, {
    ...Object.getOwnPropertyDescriptors(base),
    ...Object.getOwnPropertyDescriptors(members),
  });
}
