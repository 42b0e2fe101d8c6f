import { type KeyboardEvent, type RefObject, useId, useState } from 'react';
import { findEmoji } from './emoji.ts';
import { useLabels } from './labels.ts';

const MAX_SHOWN = 6;
/** Names have two letters or more, so that `:)` and times are no names. */
const NAME = /(?:^|\s):([a-z_]{2,30})(:?)$/;

/** Offers emoji for a name such as `:smi` before the caret. */
export function useEmoji(field: RefObject<HTMLTextAreaElement | null>, setText: (text: string) => void) {
  const id = useId();
  const [name, setName] = useState('');
  const [active, setActive] = useState(0);
  const found = name ? findEmoji(name, MAX_SHOWN) : [];
  const isOpen = found.length > 0;

  const insert = (emoji: string, length: number) => {
    const element = field.current!;
    const end = element.selectionStart;
    element.setRangeText(emoji, end - length, end, 'end');
    setText(element.value);
    setName('');
  };
  /** Call it after each change of the text. */
  const look = () => {
    const { value, selectionStart } = field.current!;
    const [, typed = '', colon = ''] = NAME.exec(value.slice(0, selectionStart)) ?? [];
    const complete = colon ? findEmoji(typed, 1).find((one) => one.name === typed) : undefined;
    if (complete) insert(complete.text, typed.length + 2);
    else setName(colon ? '' : typed);
    setActive(0);
  };
  const choose = (index: number) => insert(found[index]!.text, name.length + 1);
  /** @returns whether the list has used the key */
  const onKeyDown = (event: KeyboardEvent): boolean => {
    if (!isOpen) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) setActive((active + step + found.length) % found.length);
    else if (event.key === 'Enter' || event.key === 'Tab') choose(active);
    else if (event.key === 'Escape') setName('');
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  };

  const list = isOpen && <EmojiList id={id} found={found} active={active} onChoose={choose} />;
  const attributes = {
    'aria-autocomplete': 'list' as const,
    'aria-controls': isOpen ? id : undefined,
    'aria-activedescendant': isOpen ? `${id}-${active}` : undefined,
  };
  return { list, attributes, look, onKeyDown, close: () => setName('') };
}

interface EmojiListProps {
  id: string;
  found: ReturnType<typeof findEmoji>;
  active: number;
  onChoose: (index: number) => void;
}

function EmojiList({ id, found, active, onChoose }: EmojiListProps) {
  const labels = useLabels();
  return (
    <div className="atrium-emoji" role="listbox" id={id} aria-label={labels.emoji}>
      {found.map(({ name, text }, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus and handles the keys
        // biome-ignore lint/a11y/useFocusableInteractive: the field names the active option
        <div
          key={name}
          role="option"
          id={`${id}-${index}`}
          aria-selected={index === active}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(index)}
        >
          <span aria-hidden="true">{text}</span>
          {`:${name}:`}
        </div>
      ))}
    </div>
  );
}
