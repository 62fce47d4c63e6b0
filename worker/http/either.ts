/** Bodies that are documented in two shapes. */
import * as z from 'zod';

/**
 * Takes a body of either shape. Its faults are told of the one that its sender means, so that a
 * misspelt member is named instead of "matches no shape".
 * @param meansSecond tells by the members that are there
 */
export function either<First extends z.ZodType, Second extends z.ZodType>(
  first: First,
  second: Second,
  meansSecond: (body: object) => boolean,
) {
  return z.unknown().transform((body, faults): z.output<First> | z.output<Second> => {
    const isSecond = typeof body === 'object' && body !== null && meansSecond(body);
    const parsed = (isSecond ? second : first).safeParse(body);
    if (parsed.success) return parsed.data as z.output<First> | z.output<Second>; // Of the one chosen.
    for (const { path, message } of parsed.error.issues) {
      faults.issues.push({ code: 'custom', path, message, input: body });
    }
    return z.NEVER;
  });
}
