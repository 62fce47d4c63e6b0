/** Addresses that no endpoint of kind `http` may name, in every spelling that some program takes for them. */

/** Private, loopback and special-purpose: refused unless HTTP_ALLOW_PRIVATE allows them. */
export const PRIVATE_HOSTS: readonly string[] = [
  // Loopback.
  ...['127.0.0.1', '127.1', '127.0.1', '127.255.255.254', '127.0.0.1.', '127.000.000.001'],
  ...['0x7f000001', '0x7f.1', '0x7F.0x0.0x0.0x1', '2130706433', '017700000001', '0177.0.0.1'],
  ...[
    '0177.0.0x0.1',
    '127。0。0。1',
    '１２７.0.0.1',
    '①②⑦.⓪.⓪.①',
    '127%2e0%2e0%2e1',
    '%31%32%37.0.0.1',
  ],
  ...['localhost', 'LOCALHOST', 'localhost.', 'ｌｏｃａｌｈｏｓｔ'],
  ...['[::1]', '[0:0:0:0:0:0:0:1]', '[0000::0001]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]'],
  ...['[::127.0.0.1]', '[::ffff:0:127.0.0.1]', '[64:ff9b::127.0.0.1]', '[64:ff9b:1::7f00:1]'],
  '[2002:7f00:1::]',
  // Private networks.
  ...['10.0.0.1', '10.255.255.255', '0xa.0.0.1', '167772161', '012.0.0.1', '172.16.0.1'],
  ...['172.31.255.255', '2886729729', '192.168.0.1', '192.168.1', '0xc0.0xa8.0.1', '3232235521'],
  ...['100.64.0.1', '100.127.255.255', '[fc00::1]', '[fdff:ffff::1]', '[fec0::1]'],
  ...['[::ffff:10.0.0.1]', '[::ffff:c0a8:1]', '[64:ff9b::10.0.0.1]', '[64:ff9b::c0a8:1]'],
  ...['[2002:a00:1::1]', '[2002:c0a8:101::]'],
  // Of no network that is anybody's.
  ...['192.0.2.1', '198.51.100.7', '203.0.113.5', '198.18.0.1', '192.88.99.1', '192.0.0.1'],
  ...['240.0.0.1', '[2001:db8::1]', '[2001::1]', '[3fff::1]', '[100::1]', '[4000::1]'],
];

/** Link-local and metadata addresses, and what is no destination: refused whatever is configured. */
export const NEVER_HOSTS: readonly string[] = [
  ...['169.254.169.254', '169.254.1.1', '169.254.43518', '0xa9fea9fe', '2852039166'],
  ...['0251.0376.0251.0376', '0xa9.254.0251.254', '169.254.169.254.', '169。254。169。254'],
  ...['[::ffff:169.254.169.254]', '[::ffff:a9fe:a9fe]', '[::169.254.169.254]'],
  ...['[64:ff9b::169.254.169.254]', '[64:ff9b::a9fe:a9fe]', '[2002:a9fe:a9fe::]'],
  ...[
    '[fe80::1]',
    '[fe80::5efe:127.0.0.1]',
    '[febf::1]',
    '[fd00:ec2::254]',
    '[fd20:ce::254]',
    '[fd00:42::42]',
  ],
  ...['100.100.100.200', '168.63.129.16', '192.0.0.192', '1684301000'],
  ...['0.0.0.0', '0', '0x0', '00', '0.0.0.0.', '[::]', '[0:0:0:0:0:0:0:0]', '[::0.0.0.0]'],
  ...['224.0.0.1', '255.255.255.255', '0xffffffff', '[ff02::1]'],
];

/** URLs in which programs differ about what the host is: none that an endpoint may have. */
export const DECEIVING_URLS: readonly string[] = [
  'http:/127.0.0.1/',
  'http:127.0.0.1/',
  'http:\\\\127.0.0.1\\',
  'http:///127.0.0.1/',
  'http://example.com\\@127.0.0.1/',
  'http://exa mple.com/',
  'http://example.com#@127.0.0.1/',
  'http://[::1%25eth0]/',
  'http://[::ffff:127.0.0.1/',
  'http://127.0.0.1:99999/',
  '//127.0.0.1/',
  'file:///etc/passwd',
  'gopher://127.0.0.1:6379/_INFO',
  'ftp://127.0.0.1/',
  'unix:/var/run/docker.sock',
  'javascript:alert(1)',
  'data:text/plain,x',
  'http://',
  'https://?x',
  '127.0.0.1',
];
