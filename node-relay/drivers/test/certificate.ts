/** Certificates for servers under test, signed by themselves. Source: RFC 5280, section 4.1. */
import { generateKeyPairSync, sign } from 'node:crypto';

/** What a certificate says. */
interface CertificateOptions {
  readonly dnsName: string;
  /** Years from now, negative for one that has expired. */
  readonly years: number;
}

/** A certificate and its key, both PEM. */
export interface Certificate {
  readonly certificate: string;
  readonly key: string;
}

const ECDSA_SHA256 = [0x30, 0x0a, 0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02];
const COMMON_NAME = [0x06, 0x03, 0x55, 0x04, 0x03];
const SUBJECT_ALTERNATIVE_NAME = [0x06, 0x03, 0x55, 0x1d, 0x11];
const BASIC_CONSTRAINTS = [0x06, 0x03, 0x55, 0x1d, 0x13];

/** Makes a certificate for one name, with a key of its own on P-256. */
export function selfSigned({ dnsName, years }: CertificateOptions): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(tagged(0x31, sequence(COMMON_NAME, tagged(0x0c, Buffer.from(dnsName)))));
  const start = new Date();
  start.setUTCFullYear(start.getUTCFullYear() + Math.min(0, years) - 1);
  const end = new Date();
  end.setUTCFullYear(end.getUTCFullYear() + years);
  const extensions = sequence(
    sequence(BASIC_CONSTRAINTS, tagged(0x04, sequence(tagged(0x01, [0xff])))),
    sequence(SUBJECT_ALTERNATIVE_NAME, tagged(0x04, sequence(tagged(0x82, Buffer.from(dnsName))))),
  );
  const body = sequence(
    tagged(0xa0, tagged(0x02, [2])),
    tagged(0x02, [1]),
    ECDSA_SHA256,
    name,
    sequence(time(start), time(end)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, extensions),
  );
  const signature = Buffer.concat([Buffer.from([0]), sign('sha256', body, privateKey)]);
  const whole = sequence(body, ECDSA_SHA256, tagged(0x03, signature));
  const base64 = whole.toString('base64').replace(/.{64}/g, '$&\n');
  return {
    certificate: `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

type Bytes = Buffer | readonly number[];

function tagged(tag: number, content: Bytes): Buffer {
  const { length } = content;
  const size =
    length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), Buffer.from(content)]);
}

function sequence(...parts: readonly Bytes[]): Buffer {
  return tagged(0x30, Buffer.concat(parts.map((part) => Buffer.from(part))));
}

function time(date: Date): Buffer {
  return tagged(0x18, Buffer.from(`${date.toISOString().replace(/\D/g, '').slice(0, 14)}Z`));
}
