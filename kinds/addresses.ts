/** Addresses in what servers say, which no caller is shown. Contract §1, "Never in an error". */

/** Of whatever scheme, with all that it carries: a password, a path. */
const URL_OF_HOST = /\b[a-z][a-z\d+.-]{1,20}:\/\/[^\s'"<>]+/gi;
/** Names without a port, where PostgreSQL, MySQL and MariaDB quote them. */
const HOST_NAMED = /\b((?:server (?:at|on|host)|host name) )(["'])[^"']{1,255}\2/gi;
/** An IPv4 address within one of IPv6. */
const MAPPED = /(?<![\w:$])(?:[0-9a-f]{0,4}:){2,7}(?:\d{1,3}\.){3}\d{1,3}\b/gi;
/** One of IPv6 that leaves zeros out. It has a digit, which words such as types after `::` have not. */
const SHORT =
  /(?<![\w:$])(?=[0-9a-f:]*\d)[0-9a-f]{0,4}(?::[0-9a-f]{1,4})?::[0-9a-f]{1,4}(?![\w:])/gi;
const ADDRESS =
  /\b(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?\b|\[[0-9a-f]*:[0-9a-f:.]*\](?::\d+)?|(?<![\w:])[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){3,8}(?::\d+)?\b|(?<![\w.-])(?:localhost|[\w-]+(?:\.[\w-]+)+):\d{1,5}\b/gi;

/** The text with `(address)` for each. It has to be bounded: the patterns look at it more than once. */
export function hideAddresses(text: string): string {
  return text
    .replace(URL_OF_HOST, '(address)')
    .replace(HOST_NAMED, '$1$2(address)$2')
    .replace(MAPPED, '(address)')
    .replace(ADDRESS, '(address)')
    .replace(SHORT, '(address)');
}
