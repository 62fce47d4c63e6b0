/** A refusal of a read says to send the request to `/write`: templates and actions of workflows have another way. */
import { GatewayError } from '../../proto/errors.ts';

/** How a request of a template is let write. */
export const OF_TEMPLATE = 'give the template "request": "Write"';
/** How a request of an action is let write. */
export const OF_ACTION = 'give the action "operation": "write"';

/** As guards say it, whatever they call what was sent: it, them, the statement. */
const TO_WRITE = /\bsend (?:it|them|the \w+) to \/write\b/g;
const ON_READ = /\bon \/read\b/g;

/** An error in the words of where its request stands; any other value as it is. */
export function inWordsOf<Value>(advice: string, thrown: Value): Value | GatewayError {
  if (!(thrown instanceof GatewayError) || thrown.code !== 'BAD_REQUEST') return thrown;
  const message = reworded(thrown.message, advice);
  if (message === thrown.message) return thrown;
  const details = thrown.details.map((each) =>
    'message' in each && typeof each.message === 'string'
      ? { ...each, message: reworded(each.message, advice) }
      : each,
  );
  return new GatewayError(thrown.code, message, { details, cause: thrown });
}

function reworded(message: string, advice: string): string {
  return message.replace(TO_WRITE, advice).replace(ON_READ, 'by a read');
}
