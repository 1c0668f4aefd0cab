// SPDX-License-Identifier: MIT
// Made by weights/train/models/show_attend_tell/palette.py: the objects in emoji.png. The sheet has two rows of drawings, one in the
// training styles and one in an unseen style. Drawings: Noto Emoji (Apache 2.0), EmojiTwo and FxEmoji (CC BY 4.0).
// @ts-check
export const THINGS =
  'dog, cat, horse, pig, rabbit, bear, panda, tiger, penguin, frog, fish, octopus, snail, bee, rose, sunflower, tree, cactus, mushroom, banana, pineapple, red apple, green apple, strawberry, burger, pizza, cake, cup, moon, sun, star, cloud, rainbow, umbrella, guitar, trumpet, football, clock, key, green book, blue book, orange book, red book, balloon, present, crown, hat, house, castle, car, bus, train, bicycle, ship, plane, rocket, ghost, alien, red heart, blue heart, green heart, yellow heart, purple heart'.split(
    ', ',
  );
