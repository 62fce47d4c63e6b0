/** How statements are refused that could set what `config.session` says about their caller. Spec: keys-and-doors.md §3. */
import { GatewayError } from '../proto/errors.ts';

/** FORBIDDEN by the rule `session_settings`. @param what of a statement, such as SET @param name of a function */
export function mayNotSet(what: string, name?: string): GatewayError {
  const message = `${what} needs Admin on this endpoint: config.session tells its database who calls`;
  return new GatewayError('FORBIDDEN', message, {
    details: [
      {
        rule: 'session_settings',
        path: 'query',
        message,
        ...(name === undefined ? {} : { function: name }),
      },
    ],
  });
}
