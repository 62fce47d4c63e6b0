/** A result that is too large is told with how to have it as a stream: templates and transactions have none. */
import { GatewayError } from '../../proto/errors.ts';

/** Such an error without that advice; any other value as it is. @param why there is no stream */
export function withoutStream(thrown: unknown, why: string): unknown {
  if (!(thrown instanceof GatewayError) || thrown.code !== 'RESULT_TOO_LARGE') return thrown;
  const [size = 'The result is too large'] = thrown.message.split(';');
  const { details } = thrown;
  return new GatewayError(thrown.code, `${size}; ask for less: ${why}`, { details, cause: thrown });
}
