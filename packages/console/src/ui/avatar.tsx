/** The initials of a person; the name stands next to them. */
export function Avatar({ name, size = 28 }: { name: string; size?: number }) {
  return (
    <span className="person" style={{ width: size, height: size, fontSize: size * 0.42 }} aria-hidden="true">
      {initialsOf(name)}
    </span>
  );
}

function initialsOf(name: string): string {
  const words = name.split(/\s+/).filter((word) => /^[\p{L}\p{N}]/u.test(word));
  const [first, last] = [words[0], words.length > 1 ? words.at(-1) : undefined];
  return [first, last]
    .map((word) => [...(word ?? '')][0] ?? '')
    .join('')
    .toUpperCase();
}
