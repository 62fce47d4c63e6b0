/** Errors as Upstash's clients read them. */
import type { GatewayError } from '../../../proto/errors.ts';
import type { Json } from '../../../proto/json.ts';

/** `{error: text}`: a command's own error in the server's words, `WRONGTYPE Operation…`; any other in ours. */
export function refusalBody({ code, message, details }: GatewayError): Json {
  return { error: (code === 'REQUEST_FAILED' ? serversText(details) : undefined) ?? message };
}

function serversText(details: GatewayError['details']): string | undefined {
  for (const each of details) {
    if ('source' in each && each.source === 'redis' && typeof each.message === 'string') {
      return each.message;
    }
  }
  return undefined;
}
