/** Common emoji with their names, the most frequent first. */
const TABLE = `
😄 smile|🙂 slightly_smiling|😊 blush|😃 smiley|😀 grinning|😁 grin|😆 laughing|😂 joy|🤣 rofl|😉 wink|😍 heart_eyes
😘 kissing_heart|😋 yum|😜 winking_tongue|😎 sunglasses|🤩 star_struck|🥳 partying|🤗 hugging|🤔 thinking|🤨 raised_eyebrow
😐 neutral|😑 expressionless|😶 no_mouth|🙄 rolling_eyes|😏 smirk|😬 grimacing|😌 relieved|😔 pensive|😪 sleepy|😴 sleeping
😷 mask|🤒 thermometer_face|🤕 bandage|🤢 nauseated|🤧 sneezing|🥵 hot_face|🥶 cold_face|😵 dizzy|🤯 exploding_head|🤠 cowboy
🤓 nerd|🧐 monocle|😕 confused|😟 worried|🙁 frowning|😮 open_mouth|😲 astonished|😳 flushed|🥺 pleading|😨 fearful|😰 anxious
😢 cry|😭 sob|😱 scream|😖 confounded|😞 disappointed|😓 sweat|😩 weary|😫 tired|🥱 yawning|😤 triumph|😠 angry|😡 rage
😈 smiling_imp|💀 skull|💩 poop|🤡 clown|👻 ghost|👽 alien|🤖 robot|😇 innocent|😅 sweat_smile|🙃 upside_down|🤫 shushing
🤐 zipper_mouth|🤭 hand_over_mouth|🙈 see_no_evil|🙉 hear_no_evil|🙊 speak_no_evil|❤️ heart|🧡 orange_heart|💛 yellow_heart
💚 green_heart|💙 blue_heart|💜 purple_heart|🖤 black_heart|💔 broken_heart|💕 two_hearts|💯 hundred|💥 boom|💦 sweat_drops
💤 zzz|👋 wave|✋ raised_hand|🖖 vulcan|👌 ok_hand|✌️ victory|🤞 crossed_fingers|🤟 love_you|🤘 metal|🤙 call_me|👈 point_left
👉 point_right|👆 point_up|👇 point_down|👍 thumbs_up|👎 thumbs_down|✊ fist|👊 punch|👏 clap|🙌 raised_hands|👐 open_hands
🤝 handshake|🙏 pray|✍️ writing|💪 muscle|👀 eyes|🧠 brain|👶 baby|🤷 shrug|🤦 facepalm|🏃 running|💃 dancer|👑 crown
🐶 dog|🐱 cat|🐭 mouse|🐰 rabbit|🦊 fox|🐻 bear|🐼 panda|🦁 lion|🐷 pig|🐸 frog|🐵 monkey|🐔 chicken|🐧 penguin|🦄 unicorn
🐝 bee|🦋 butterfly|🐢 turtle|🐍 snake|🐙 octopus|🐟 fish|🐬 dolphin|🐳 whale|🌸 blossom|🌹 rose|🌻 sunflower|🌱 seedling
🌲 tree|🌵 cactus|🍀 clover|🍎 apple|🍌 banana|🍉 watermelon|🍓 strawberry|🍒 cherries|🍑 peach|🥑 avocado|🍞 bread|🧀 cheese
🍔 burger|🍟 fries|🍕 pizza|🌮 taco|🍣 sushi|🍦 ice_cream|🍩 doughnut|🍪 cookie|🎂 birthday|🍰 cake|🍫 chocolate|☕ coffee|🍵 tea
🍺 beer|🍻 cheers|🍷 wine|🥂 champagne|🚗 car|🚌 bus|🚲 bike|✈️ airplane|🚀 rocket|🚆 train|🏠 house|🏢 office|🏖️ beach
⛰️ mountain|🌍 earth|🌙 moon|☀️ sun|⭐ star|🌈 rainbow|☁️ cloud|🌧️ rain|⛄ snowman|⚡ zap|🔥 fire|💧 droplet|🎉 tada|🎈 balloon
🎁 gift|🏆 trophy|🥇 gold_medal|⚽ soccer|🏀 basketball|🎾 tennis|🎮 video_game|🎲 dice|🎵 music|🎸 guitar|🎬 movie|📷 camera
📱 phone|💻 laptop|💡 bulb|🔋 battery|💰 money|📅 calendar|📌 pin|📎 paperclip|📝 memo|📦 package|✉️ envelope|🔒 lock|🔑 key
🔧 wrench|🔨 hammer|🐛 bug|🚧 construction|⏰ alarm|⏳ hourglass|✅ check|❌ cross|❓ question|❗ exclamation|⚠️ warning|🚫 prohibited
➕ plus|➖ minus|♻️ recycle|🔴 red_circle|🟢 green_circle|🏁 finish|🚩 flag
`;

export interface Emoji {
  name: string;
  text: string;
}

let table: Emoji[] | undefined;

/** The emoji with this name, then those whose names begin with it, then those that contain it. */
export function findEmoji(text: string, count: number): Emoji[] {
  table ??= TABLE.trim()
    .split(/[\n|]/)
    .map((entry) => {
      const [emoji = '', name = ''] = entry.split(' ');
      return { name, text: emoji };
    });
  const found = table.filter(({ name }) => name.includes(text));
  const rank = ({ name }: Emoji) => (name === text ? 0 : name.startsWith(text) ? 1 : 2);
  return found.sort((a, b) => rank(a) - rank(b)).slice(0, count);
}
