/** Formats of texts that a validation may ask for, each as a well-known schema library reads it. Spec silent. */
import * as z from 'zod';

/** No longer text is looked at: none of these forms has a use for it. In UTF-16 units. */
const LENGTH_MAX = 8_192;

const MAKERS: Readonly<Record<string, () => z.ZodType>> = {
  email: () => z.email(),
  uuid: () => z.guid(),
  date: () => z.iso.date(),
  'date-time': () => z.iso.datetime({ offset: true }),
  duration: () => z.iso.duration(),
  uri: () => z.url(),
  hostname: () => z.hostname(),
  ipv4: () => z.ipv4(),
  ipv6: () => z.ipv6(),
};
/** Those that were asked for: making all of them takes a part of the worker's start. */
const made = new Map<string, z.ZodType>();

/** What `format` may be; the names are those of JSON Schema. */
export const FORMATS: readonly string[] = Object.keys(MAKERS);

/** Whether a text is of a format; of one that there is not, none is. */
export function isOfFormat(text: string, format: string): boolean {
  if (text.length > LENGTH_MAX) return false;
  const schema = made.get(format) ?? MAKERS[format]?.();
  if (schema === undefined) return false;
  made.set(format, schema);
  return schema.safeParse(text).success;
}
