import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isPublicAddress, targetFault } from '../../../../server/people/webhooks/target.js';

/** IPv4 networks that are nobody's on the public internet: first address, last address. */
const PRIVATE_V4 = [
  ['0.0.0.0', '0.255.255.255'],
  ['10.0.0.0', '10.255.255.255'],
  ['100.64.0.0', '100.127.255.255'],
  ['127.0.0.0', '127.255.255.255'],
  ['169.254.0.0', '169.254.255.255'],
  ['172.16.0.0', '172.31.255.255'],
  ['192.0.0.0', '192.0.0.255'],
  ['192.168.0.0', '192.168.255.255'],
  ['198.18.0.0', '198.19.255.255'],
  ['224.0.0.0', '255.255.255.255'],
] as const;

const toNumber = (address: string) => address.split('.').reduce((number, part) => number * 256 + Number(part), 0);
const toV4 = (number: number) => [24, 16, 8, 0].map((bits) => (number >>> bits) & 255).join('.');
const privateV4 = fc
  .constantFrom(...PRIVATE_V4)
  .chain(([first, last]) => fc.integer({ min: toNumber(first), max: toNumber(last) }).map(toV4));

test('no address of a private network counts as public, in whatever form it comes', () => {
  fc.assert(
    fc.property(privateV4, (address) => {
      const hex = toNumber(address).toString(16).padStart(8, '0');
      const groups = `${hex.slice(0, 4)}:${hex.slice(4)}`;
      const forms = [
        address,
        `::ffff:${address}`,
        `::ffff:${groups}`,
        `0:0:0:0:0:ffff:${groups}`,
        `::${groups}`,
        `64:ff9b::${groups}`,
        `2002:${groups}::1`,
      ];
      for (const form of forms) assert.equal(isPublicAddress(form), false, form);
      const hosts = [address, String(toNumber(address)), `0x${hex}`, `[::ffff:${address}]`, `[::${groups}]`];
      for (const host of hosts) assert.ok(targetFault(`https://${host}/hook`), host);
    }),
  );
});

test('IPv6 beside the public part, and what belongs to a cloud', () => {
  const others = [
    '::',
    '::1',
    'fe80::1',
    'fe80::1%eth0',
    'fc00::1',
    'fd00:ec2::254',
    'fec0::1',
    'ff02::1',
    '2001:db8::1',
  ];
  for (const address of [...others, '168.63.129.16', '::ffff:168.63.129.16', 'name', '', '1.2.3']) {
    assert.equal(isPublicAddress(address), false, address);
  }
  for (const address of ['1.1.1.1', '93.184.216.34', '::ffff:1.1.1.1', '2606:4700:4700::1111']) {
    assert.equal(isPublicAddress(address), true, address);
  }
});

test('URLs that deliveries may go to, and those that they may not', () => {
  for (const url of [
    'https://ops.example',
    'https://ops.example:8443/hook?a=b',
    'https://1.1.1.1/',
    'https://[2606:4700::1]/',
  ]) {
    assert.equal(targetFault(url), undefined, url);
  }
  const refused = [
    ['nothing', /be a URL/],
    ['http://ops.example/', /https/],
    ['ftp://ops.example/', /https/],
    ['https://me:secret@ops.example/', /user/],
    ['https://ops.example/#part', /fragment/],
    ['https://localhost/', /public/],
    ['https://LOCALHOST./', /public/],
    ['https://a.localhost/', /public/],
    ['https://postgres/', /public/],
    ['https://metadata.google.internal/', /public/],
    ['https://printer.local/', /public/],
    ['https://localhost../', /public/],
    ['https://db.svc/', /public/],
    ['https://api.service.consul/', /public/],
    ['https://host.localdomain/', /public/],
    ['https://fritz.box/', /public/],
    ['https://ops.example:22/', /port/],
    ['https://ops.example:1023/', /port/],
    ['https://127.1/', /public/],
    ['https://[::1]/', /public/],
    ['https://[fe80::1]/', /public/],
  ] as const;
  for (const [url, why] of refused) assert.match(targetFault(url) ?? '', why, url);
});
