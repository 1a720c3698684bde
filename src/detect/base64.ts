/** Bytes from text, as generated modules carry them. */

/** A loop, because `Uint8Array.from` with a function takes ten times as long, which every start would pay. */
export function fromBase64(text: string): Uint8Array {
  const chars = atob(text);
  const bytes = new Uint8Array(chars.length);
  for (let i = 0; i < chars.length; i++) bytes[i] = chars.charCodeAt(i);
  return bytes;
}
