/** Member `once` of a configuration: where a backend keeps the keys of writes. Spec: transactions.md §7. */
import * as z from 'zod';

/** Where marks are kept when the configuration names no place. */
const DEFAULT_NAME = 'causeway_once';
/** Longest name that every server takes. Source: NAMEDATALEN of PostgreSQL; MySQL takes 64. */
const NAME_MAX = 63;
/** Two of them, the schema or database before the table. */
const TABLE = /^[a-z_][\w$]{0,62}(?:\.[a-z_][\w$]{0,62})?$/i;
const PREFIX = /^[\w.:-]+$/;
const COLLECTION = /^(?!system\.)[a-z_][\w.-]*$/i;

const WHAT =
  'Writes with an `Idempotency-Key` keep their key and their reply in the backend itself, together with their effect, for 7 days: whatever dies on the way, a repeat has one effect and learns what became of it';

/** Of SQL kinds. */
export const OnceTable = z
  .strictObject({
    table: z
      .string()
      .regex(
        TABLE,
        'is no name of a table: letters, digits and _, with a schema before a dot or none',
      )
      .optional()
      .meta({
        description: `Made at its first use where it is not there; \`${DEFAULT_NAME}\` when left out`,
        examples: [DEFAULT_NAME],
      }),
  })
  .meta({ id: 'OnceTable', description: WHAT, examples: [{ table: DEFAULT_NAME }] });

/** Of MongoDB. */
export const OnceCollection = z
  .strictObject({
    collection: z
      .string()
      .max(NAME_MAX)
      .regex(COLLECTION, 'is no name of a collection: letters, digits, _, - and dots')
      .optional()
      .meta({
        description: `Made at its first use where it is not there; \`${DEFAULT_NAME}\` when left out`,
        examples: [DEFAULT_NAME],
      }),
  })
  .meta({
    id: 'OnceCollection',
    description: `${WHAT}. It needs a replica set`,
    examples: [{ collection: DEFAULT_NAME }],
  });

/** Of Redis. */
export const OncePrefix = z
  .strictObject({
    prefix: z
      .string()
      .max(NAME_MAX)
      .regex(PREFIX, 'is no beginning of keys: letters, digits, _, -, colons and dots')
      .optional()
      .meta({
        description: `What the keys of marks begin with; \`${DEFAULT_NAME}\` when left out`,
        examples: [DEFAULT_NAME],
      }),
  })
  .meta({
    id: 'OncePrefix',
    description: `${WHAT}. The keys of a write lie in one hash slot`,
    examples: [{ prefix: DEFAULT_NAME }],
  });

/** What the place of marks is called in a kind's configuration. */
export type OncePlaceName = 'table' | 'collection' | 'prefix';

/** The place that a configuration names for marks, or the usual one. @param once member `once`, parsed */
export function oncePlaceOf(
  name: OncePlaceName,
  once: { readonly [member: string]: unknown },
): string {
  const { [name]: given } = once;
  if (typeof given === 'string') return given;
  return DEFAULT_NAME;
}
