/** Looks up what is kept by names that clients choose: those of the host's objects are names like any other. */

/** What is there by a name; undefined where nothing is. */
export function ownOf<Kept>(
  kept: { readonly [name: string]: Kept } | undefined,
  name: string,
): Kept | undefined {
  return kept !== undefined && Object.hasOwn(kept, name) ? kept[name] : undefined;
}
