/** Paths as members of a body. */
import * as z from 'zod';
import { faultOf, PathFault } from './fault.ts';
import { Path } from './path.ts';

/** A path in any notation; one that does not parse is a fault that shows where. */
export const PathText = z.string().transform((text, faults): Path => {
  try {
    return new Path(text);
  } catch (fault) {
    if (!(fault instanceof PathFault)) throw fault;
    faults.issues.push({ code: 'custom', message: faultOf(text, fault), input: text });
    return z.NEVER;
  }
});
