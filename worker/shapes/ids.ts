/** Ids that clients choose, and how they are told from UUIDs. Contract §1, "Ids in paths", "Id format". */
import * as z from 'zod';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const LONGEST = 128;

/** Whether a text parses as a UUID, of any version and in either letter case. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** The id of an organization; endpoints, templates and workflows add what is reserved among them. */
export const ChosenId = z
  .string()
  .regex(
    ID,
    'must be 1 to 128 letters, digits, dots, underscores and hyphens, and begin with a letter or digit',
  )
  .refine((id) => !isUuid(id), 'may not be a UUID')
  .meta({
    description:
      'Chosen id: 1 to 128 letters, digits, dots, underscores and hyphens, beginning with a letter or digit, and no UUID',
    examples: ['acme'],
  });

/**
 * A name as an id: in lower case, without accents, with hyphens for what an id cannot hold, cut to
 * 128 characters. Empty when nothing of the name is left. Contract §3: "the id is the name in
 * lower case with hyphens".
 */
export function idFromName(name: string): string {
  return name
    .normalize('NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+/, '')
    .slice(0, LONGEST)
    .replace(/-+$/, '');
}

/** As references name things: an id, or a UUID in lower case. Contract §1, "Ids in paths". */
export function comparedName(name: string): string {
  return isUuid(name) ? name.toLowerCase() : name;
}
