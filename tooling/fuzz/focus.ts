/** The description as if the gateway served one kind alone, so that more of what is made up arrives. */

/**
 * Leaves out what is of another kind wherever there is a choice: of bodies and of replies.
 * @param document the description's JSON text
 * @param others labels of the kinds to leave out; names of their schemas begin with them
 */
export function withoutKinds(document: string, others: readonly string[]): string {
  const isOfOther = (choice: unknown) =>
    others.some((label) =>
      JSON.stringify(choice).startsWith(`{"$ref":"#/components/schemas/${label}`),
    );
  const narrowed: unknown = JSON.parse(document, (name, value: unknown) => {
    if ((name !== 'anyOf' && name !== 'oneOf') || !Array.isArray(value)) return value;
    const rest = value.filter((choice) => !isOfOther(choice));
    return rest.length === 0 ? value : rest;
  });
  return JSON.stringify(narrowed);
}
