/** The picture of a person, or the initials; the name stands next to it. */
export function Avatar({
  name,
  size = 28,
  picture,
}: {
  name: string;
  size?: number;
  /** Address of an image. */
  picture?: string | undefined;
}) {
  return (
    <span
      className="person"
      style={{ width: size, height: size, fontSize: size * 0.42 }}
      data-initials={initialsOf(name)}
      aria-hidden="true"
    >
      {picture !== undefined && <img src={picture} alt="" key={picture} onError={hide} />}
    </span>
  );
}

/** Shows the initials, which the image covers. */
function hide({ currentTarget }: { currentTarget: HTMLElement }): void {
  currentTarget.hidden = true;
}

function initialsOf(name: string): string {
  const words = name.split(/\s+/).filter((word) => /^[\p{L}\p{N}]/u.test(word));
  const [first, last] = [words[0], words.length > 1 ? words.at(-1) : undefined];
  return [first, last]
    .map((word) => [...(word ?? '')][0] ?? '')
    .join('')
    .toUpperCase();
}
