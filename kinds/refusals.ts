/** How guards refuse statements. */
import { badRequest, GatewayError } from '../proto/errors.ts';

/** BAD_REQUEST by a rule of /read. @param name of a function */
export function refusedByRule(rule: string, message: string, name?: string): GatewayError {
  return new GatewayError('BAD_REQUEST', message, {
    details: [{ rule, path: 'query', message, ...named(name) }],
  });
}

/** BAD_REQUEST whose whole message is told where it is. @param rule of /read */
export function refusedAt(path: string, message: string, rule?: string): GatewayError {
  if (rule === undefined) return badRequest(path, message, message);
  return new GatewayError('BAD_REQUEST', message, { details: [{ rule, path, message }] });
}

/**
 * FORBIDDEN by the rule `session_settings`: a statement could set what `config.session` says about
 * its caller. Spec: keys-and-doors.md §3.
 * @param what of a statement, such as SET
 * @param name of a function
 */
export function mayNotSet(what: string, name?: string): GatewayError {
  const message = `${what} needs Admin on this endpoint: config.session tells its database who calls`;
  return new GatewayError('FORBIDDEN', message, {
    details: [{ rule: 'session_settings', path: 'query', message, ...named(name) }],
  });
}

function named(name: string | undefined) {
  return name === undefined ? {} : { function: name };
}
