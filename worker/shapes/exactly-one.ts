/** Members: a body has exactly one of them, as its description says it. */

/** Keywords for a schema's description: one of these members is there, and no other of them. */
export function exactlyOne(names: readonly string[]) {
  return { oneOf: names.map((name) => ({ required: [name] })) };
}
