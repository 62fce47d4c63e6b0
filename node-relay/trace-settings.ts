/** Where a relay's part of traces goes. Source: OpenTelemetry specification, "OTLP exporter configuration". */
import { GatewayError } from '../proto/errors.ts';

/** Where spans go, and whose they are. */
export interface TracesTo {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly attributes: Readonly<Record<string, string>>;
}

/** Undefined where calls are not traced. @throws GatewayError INVALID_CONFIGURATION */
export function readTracesTo(env: NodeJS.ProcessEnv): TracesTo | undefined {
  const base = env.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (!base) return undefined;
  if (!/^https?:$/.test(URL.parse(base)?.protocol ?? '')) {
    throw invalid('OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https URL');
  }
  const service = { 'service.name': env.OTEL_SERVICE_NAME || 'causeway-relay' };
  return {
    url: `${base.replace(/\/+$/, '')}/v1/traces`,
    headers: pairs('OTEL_EXPORTER_OTLP_HEADERS', env),
    attributes: { ...service, ...pairs('OTEL_RESOURCE_ATTRIBUTES', env) },
  };
}

/** `name=value` by comma, values percent-encoded. */
function pairs(name: string, env: NodeJS.ProcessEnv): Record<string, string> {
  const texts = (env[name] ?? '').split(',').filter((each) => each.trim() !== '');
  try {
    return Object.fromEntries(
      texts.map((text) => {
        const [, key = '', value = ''] = /^\s*([^=\s]+)\s*=(.*)$/.exec(text) ?? [];
        if (key === '') throw new TypeError('no pair');
        return [key, decodeURIComponent(value.trim())];
      }),
    );
  } catch (cause) {
    throw invalid(`${name} must be a list of name=value by comma`, cause);
  }
}

function invalid(message: string, cause?: unknown): GatewayError {
  return new GatewayError('INVALID_CONFIGURATION', message, { cause });
}
