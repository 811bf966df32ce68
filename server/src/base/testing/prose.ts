/** Ordinary prose in ten scripts, written for the tests of estimates. */
export const prose = {
  english:
    "A gateway stands between programs and the companies that run large models. It knows who is calling, checks that the balance is enough, and passes the question on. When the answer has arrived, it counts the words that were read and written, and takes the price from the account. Nobody should pay twice for one question, and nobody should be able to spend what is not there. Most days nothing remarkable happens; on the others, a careful record is worth more than a fast reply.",
  french:
    "La bibliothèque municipale ouvre ses portes à neuf heures, sauf le lundi. Les élèves s'y retrouvent après l'école pour préparer leurs exposés, feuilleter des revues ou simplement rêver près des fenêtres. L'été dernier, on a ajouté une salle où chacun peut écouter de la musique sans déranger les autres. Le directeur espère bientôt acquérir des liseuses, bien que le budget reste très serré cette année.",
  vietnamese:
    "Buổi sáng, chợ nổi trên sông rất nhộn nhịp. Những chiếc thuyền chở đầy trái cây, rau xanh và hoa tươi tụ lại từ lúc mặt trời chưa mọc. Người mua và người bán trò chuyện vui vẻ, trả giá bằng những câu nói đùa quen thuộc. Đến trưa, khi nắng đã gay gắt, mặt sông lại trở về yên tĩnh như chưa từng có phiên chợ nào.",
  russian:
    "Рано утром поезд прибыл на маленькую станцию, где его никто не встречал. Снег лежал ровным слоем, и только узкая тропинка вела к деревянному дому за рекой. Учительница несла тяжёлый чемодан с книгами и думала о том, как начнёт первый урок. В школе было всего двенадцать учеников, но каждый из них ждал её с нетерпением и тревогой.",
  greek:
    "Το μικρό λιμάνι γεμίζει κάθε καλοκαίρι με βάρκες και επισκέπτες. Οι ψαράδες επιστρέφουν πριν από το μεσημέρι και απλώνουν τα δίχτυα τους στον ήλιο. Στα στενά σοκάκια μυρίζει θυμάρι και φρέσκο ψωμί, ενώ τα παιδιά παίζουν μέχρι να βραδιάσει. Το φθινόπωρο όλα ησυχάζουν και το χωριό ανήκει ξανά στους κατοίκους του.",
  arabic:
    "في المدينة القديمة سوق صغير يبيع فيه الحرفيون ما تصنعه أيديهم من الخشب والنحاس. يأتي الزوار من بلاد بعيدة ليسمعوا قصص المكان ويشربوا الشاي مع أهله. كل صباح يفتح العجوز دكانه ببطء، ويرتب الأواني اللامعة، ثم يجلس ينتظر أول زبون. لا يهمه كم يبيع، بل يهمه أن تبقى الحرفة حية.",
  hebrew:
    "בכל יום שישי אחר הצהריים הרחוב מתרוקן לאט, והחנויות נסגרות אחת אחרי השנייה. ריח של לחם טרי ממלא את חדר המדרגות, והשכנים מברכים זה את זה בחיוך. הילדים משחקים בחצר עד שאימא קוראת להם לעלות הביתה. בערב יושבים כולם סביב השולחן ומספרים מה קרה במשך השבוע.",
  hindi:
    "गाँव के बीच में एक पुराना बरगद का पेड़ है, जिसकी छाया में लोग दोपहर को आराम करते हैं। बच्चे उसकी जड़ों पर झूलते हैं और बूढ़े अपनी जवानी की कहानियाँ सुनाते हैं। बारिश के मौसम में जब नदी भर जाती है, तब भी वही पेड़ सबका सहारा बनता है। किसी को याद नहीं कि उसे किसने और कब लगाया था।",
  thai: "ทุกเช้าชาวบ้านจะพายเรือไปตลาดเพื่อขายผลไม้และดอกไม้สด เด็กๆ ช่วยพ่อแม่จัดของก่อนไปโรงเรียน ส่วนคนแก่ก็นั่งคุยกันอยู่ใต้ต้นไม้ใหญ่ริมน้ำ เมื่อฝนตกหนักทุกคนจะช่วยกันเก็บของเข้าบ้าน แล้วเล่าเรื่องเก่าๆ ให้กันฟังจนกว่าฟ้าจะเปิดอีกครั้ง",
  chinese:
    "清晨的菜市场总是最热闹的地方。卖豆腐的老人把木板擦得干干净净，旁边的姑娘正在整理刚从地里摘来的青菜。人们一边挑选，一边聊着昨天的天气和孩子的功课。到了中午，摊位渐渐收起，街道又恢复了安静，只剩下几只猫在阳光下打盹。谁也不会想到，几个小时以前这里曾经挤满了人。",
  japanese:
    "駅前の小さな喫茶店は、朝七時に静かに扉を開けます。常連のお客さんは新聞を片手に、いつもの席でコーヒーを待っています。窓の外では学生たちが自転車で坂を下り、遠くから電車の音が聞こえてきます。店主は何も言わずに微笑み、カップを温めながら今日の天気を眺めていました。",
  korean:
    "작은 서점의 문을 열면 오래된 종이 냄새가 먼저 손님을 맞이한다. 주인은 새로 들어온 책을 하나씩 닦아 창가의 책장에 꽂고, 아이들은 바닥에 앉아 그림책을 넘긴다. 비가 오는 날이면 동네 사람들이 모여 차를 마시며 이야기를 나누곤 한다. 그곳에서는 시간이 조금 더 천천히 흐르는 것 같다.",
};

/** The same in scripts that tokenizers have seen little of. */
export const rareProse = {
  amharic: "በየማለዳው የመንደሩ ሰዎች ወደ ወንዙ ይወርዳሉ። ዓሣ አጥማጆቹም ጀልባዎቻቸውን ያዘጋጃሉ። ",
  cherokee: "ᏂᎦᏓ ᎠᏂᏴᏫ ᎨᏥᏁᎳ ᎤᎾᏓᏅᏖᏗ ᎠᎴ ᎤᏂᏠᏱᏍᏗ ",
  georgian: "ყოველ დილით სოფლის ხალხი მდინარესთან ჩადის და მეთევზეები ნავებს ამზადებენ. ",
  lao: "ທຸກໆເຊົ້າຊາວບ້ານລົງໄປທີ່ແມ່ນ້ຳ ແລະຊາວປະມົງກຽມເຮືອຂອງເຂົາ. ",
  pointedArabic: "كُلَّ صَبَاحٍ يَنْزِلُ أَهْلُ القَرْيَةِ إِلَى النَّهْرِ وَيُعِدُّ الصَّيَّادُونَ قَوَارِبَهُمْ. ",
  pointedHebrew: "בְּכָל בֹּקֶר יוֹרְדִים אַנְשֵׁי הַכְּפָר אֶל הַנָּהָר וְהַדַּיָּגִים מְכִינִים אֶת הַסִּירוֹת. ",
  tibetan: "ཞོགས་པ་རེ་རེར་གྲོང་པའི་མི་རྣམས་གཙང་པོའི་འགྲམ་དུ་འགྲོ། ",
} as const;
