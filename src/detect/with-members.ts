/** Copies of catalogues, whose members may be getters that are expensive to call. */

/** A copy of `base` with other members. Getters of both stay getters. */
export function withMembers<Type extends object>(base: Type, members: Partial<Type>): Type {
  return Object.defineProperties({} as Type, {
    ...Object.getOwnPropertyDescriptors(base),
    ...Object.getOwnPropertyDescriptors(members),
  });
}
