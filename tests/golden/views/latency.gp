set encoding utf8
set terminal svg size 700,412 fixed noenhanced font 'sans-serif,13' background rgb '#ffffff'
set border 1 lc rgb '#57606a'
set tics nomirror scale 0.5,0.25 textcolor rgb '#1f2328'
set grid lc rgb '#d0d7de' dt 1 lw 1
set lmargin at screen 0.0914
set rmargin at screen 0.9543
set tmargin at screen 0.8883
set bmargin at screen 0.1602
set label 'Title' at screen 0.0143, screen 0.9466 left font 'sans-serif,15' textcolor rgb '#1f2328'
set key at screen 0.0457, screen 0.0194 left bottom Left reverse horizontal maxcols 3 samplen 3 textcolor rgb '#1f2328'
set logscale y
set ytics ('100us' 100000, '200us' 200000, '500us' 500000, '1ms' 1000000, '2ms' 2000000, '5ms' 5000000)
set yrange [99900:5005000]
set xrange [0.301029996:3]
set xtics ('50 %%' 0.301029996, '75 %%' 0.602059991, '90 %%' 1, '95 %%' 1.30103, '99 %%' 2, '99.9 %%' 3)
$line0 << EOD
0.301029996 199168
0.602059991 247296
1 247296
1.30103 379904
1.60205999 379904
2 759808
3 1708032
EOD
$line1 << EOD
0.301029996 314368
0.602059991 390144
1 390144
1.30103 600064
1.60205999 600064
2 1200128
3 2695168
EOD
plot $line0 using 1:2 with linespoints lc rgb '#0072b2' dt 1 pt 7 ps 0.7 lw 2 title 'http-fast', \
  $line1 using 1:2 with linespoints lc rgb '#d55e00' dt (10,5) pt 5 ps 0.7 lw 2 title 'http-slow'
