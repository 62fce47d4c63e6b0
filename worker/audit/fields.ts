/** Names what a patch changes, without a value of it. */

/** Dotted paths of the patch's members, and of theirs; deeper names may be a client's own. */
export function fieldsOf(patch: object): string[] {
  return Object.entries(patch).flatMap(([name, value]: [string, unknown]) => {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? Object.keys(value).map((inner) => `${name}.${inner}`) : [name];
  });
}
