import { expect, test } from 'vitest';
import { contentDisposition } from '../../../src/rest/http/content-disposition.ts';

test.each([
  ['note.txt', 'attachment; filename="note.txt"'],
  ['a b (1).txt', 'attachment; filename="a b (1).txt"'],
  ['', 'attachment'],
  ['   ', 'attachment'],
  ['Menü.txt', `attachment; filename="Men_.txt"; filename*=UTF-8''Men%C3%BC.txt`],
  [
    'день 😀*.txt',
    `attachment; filename="____ _*.txt"; filename*=UTF-8''%D0%B4%D0%B5%D0%BD%D1%8C%20%F0%9F%98%80%2A.txt`,
  ],
  ['say "hi".txt', `attachment; filename="say _hi_.txt"; filename*=UTF-8''say%20%22hi%22.txt`],
  ['100%41.txt', `attachment; filename="100_41.txt"; filename*=UTF-8''100%2541.txt`],
  ['a\r\nSet-Cookie: x=1', 'attachment; filename="a__Set-Cookie: x=1"'],
  ['../../etc/passwd', 'attachment; filename=".._.._etc_passwd"'],
  ['C:\\boot.ini', 'attachment; filename="C:_boot.ini"'],
  ['photo\u202egpj.exe', 'attachment; filename="photo_gpj.exe"'],
  ['lone \ud800', `attachment; filename="lone _"; filename*=UTF-8''lone%20%EF%BF%BD`],
])('contentDisposition quotes the file name %j', (name, header) => {
  expect(contentDisposition(name, 'text/plain')).toBe(header);
});

test.each([
  ['image/png', 'inline'],
  ['IMAGE/JPEG; x=y', 'inline'],
  ['audio/ogg', 'inline'],
  ['video/mp4', 'inline'],
  ['application/pdf', 'inline'],
  ['image/svg+xml', 'attachment'],
  ['image/svg', 'attachment'],
  ['IMAGE/SVG+XML;charset=utf-8', 'attachment'],
  ['image/vnd.x+xml', 'attachment'],
  ['text/html', 'attachment'],
  ['application/xhtml+xml', 'attachment'],
  ['application/javascript', 'attachment'],
  ['text/xml', 'attachment'],
  ['application/octet-stream', 'attachment'],
])('%s has the content disposition %s', (type, disposition) => {
  expect(contentDisposition('x', type)).toBe(`${disposition}; filename="x"`);
});
