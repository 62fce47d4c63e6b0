/** Formats of texts that a validation may ask for, each as a well-known schema library reads it. Spec silent. */
import * as z from 'zod';

/** No longer text is looked at: none of these forms has a use for it. In UTF-16 units. */
const LENGTH_MAX = 8_192;

const SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  email: z.email(),
  uuid: z.guid(),
  date: z.iso.date(),
  'date-time': z.iso.datetime({ offset: true }),
  duration: z.iso.duration(),
  uri: z.url(),
  hostname: z.hostname(),
  ipv4: z.ipv4(),
  ipv6: z.ipv6(),
};

/** What `format` may be; the names are those of JSON Schema. */
export const FORMATS: readonly string[] = Object.keys(SCHEMAS);

/** Whether a text is of a format; of one that there is not, none is. */
export function isOfFormat(text: string, format: string): boolean {
  return text.length <= LENGTH_MAX && SCHEMAS[format]?.safeParse(text).success === true;
}
