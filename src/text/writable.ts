/** The type of an object while it is made. */

export type Writable<Type> = { -readonly [Member in keyof Type]: Type[Member] };
