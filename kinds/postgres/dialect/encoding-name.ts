/** The names of the encoding that texts travel in. */

/** As PostgreSQL calls it, and what stands before one or speaks like one. */
const UTF8 = /^(?:utf-?8|unicode)$/i;

/** Whether a name of an encoding, as servers report it or statements give it, is that of UTF-8. */
export function isUtf8Name(name: string): boolean {
  return UTF8.test(name);
}
